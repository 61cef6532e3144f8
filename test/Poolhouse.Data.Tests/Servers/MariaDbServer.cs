using Poolhouse.Data.Tests.Servers;

[assembly: AssemblyFixture(typeof(MariaDbServer))]

namespace Poolhouse.Data.Tests.Servers;

/// <summary>
/// The MariaDB server that the tests of this assembly share. It starts with the first test that needs it, in parallel with other
/// tests.
/// </summary>
public sealed class MariaDbServer : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private Task<TemporaryMariaDb>? _server;
    private int _databases;

    /// <summary>An administrator on no database, without the provider's pool.</summary>
    public async Task<string> GetConnectionStringAsync() => (await StartOnceAsync()).ConnectionString;

    /// <summary>The same on a new, empty database.</summary>
    public async Task<string> CreateDatabaseAsync()
    {
        var connectionString = await GetConnectionStringAsync();
        var name = $"test{Interlocked.Increment(ref _databases)}";
        await using var source = new MySqlConnector.MySqlDataSource(connectionString);
        await using var command = source.CreateCommand($"CREATE DATABASE {name}");
        await command.ExecuteNonQueryAsync();
        return $"{connectionString};Database={name}";
    }

    public async ValueTask DisposeAsync()
    {
        // A server that could not be started was reported to the tests that wanted it.
        if (_server is { IsCompletedSuccessfully: true } server)
        {
            await (await server).DisposeAsync();
        }
    }

    private Task<TemporaryMariaDb> StartOnceAsync()
    {
        lock (_gate)
        {
            // A start that failed concerns only the tests that waited for it.
            return _server is null or { IsFaulted: true }
                ? _server = TemporaryMariaDb.StartAsync(CancellationToken.None)
                : _server;
        }
    }
}
