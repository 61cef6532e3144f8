using Poolhouse.Data.Tests.Servers;

[assembly: AssemblyFixture(typeof(FirebirdServer))]

namespace Poolhouse.Data.Tests.Servers;

/// <summary>The Firebird server that the tests of this assembly share. It starts with the first test that needs it.</summary>
public sealed class FirebirdServer : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private Task<TemporaryFirebird>? _server;

    /// <summary>The connection string for a new, empty database.</summary>
    public async Task<string> CreateDatabaseAsync() => await (await StartOnceAsync()).CreateDatabaseAsync();

    public async ValueTask DisposeAsync()
    {
        // A server that could not be started was reported to the tests that wanted it.
        if (_server is { IsCompletedSuccessfully: true } server)
        {
            await (await server).DisposeAsync();
        }
    }

    private Task<TemporaryFirebird> StartOnceAsync()
    {
        lock (_gate)
        {
            return _server ??= TemporaryFirebird.StartAsync(CancellationToken.None);
        }
    }
}
