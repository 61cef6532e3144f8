using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>A server that the tests of a class break one after another. It starts with the first test that needs it.</summary>
public sealed class OwnServer : IAsyncDisposable
{
    private TemporaryPostgres? _server;

    internal async Task<TemporaryPostgres> StartAsync(TemporaryPostgresOptions? options = null)
    {
        _server ??= await PostgresServer.StartOwnAsync(options);
        await _server.StartAgainAsync(TestContext.Current.CancellationToken);
        return _server;
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }
    }
}
