namespace Poolhouse.Data.Tests.Servers;

/// <summary>
/// A MariaDB server that the tests of a class break one after another. It starts with the first test that needs it.
/// </summary>
public sealed class OwnMariaDb : IAsyncDisposable
{
    private TemporaryMariaDb? _server;

    internal async Task<TemporaryMariaDb> StartAsync()
    {
        _server ??= await TemporaryMariaDb.StartAsync(TestContext.Current.CancellationToken);
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
