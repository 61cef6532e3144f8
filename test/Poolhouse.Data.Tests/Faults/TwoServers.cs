using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Two servers that one connection string can name, and that the tests of a class break one after the other.</summary>
public sealed class TwoServers : IAsyncDisposable
{
    // One password for both; and each may become a standby.
    private readonly TemporaryPostgresOptions _options = new()
    {
        Settings = new Dictionary<string, string>(StringComparer.Ordinal) { ["wal_level"] = "replica" },
    };

    private TemporaryPostgres? _first;
    private TemporaryPostgres? _second;

    /// <summary>Both, started as primaries.</summary>
    internal async Task<(TemporaryPostgres First, TemporaryPostgres Second)> StartAsync()
    {
        _first ??= await PostgresServer.StartOwnAsync(_options);
        _second ??= await PostgresServer.StartOwnAsync(_options);
        foreach (var server in new[] { _first, _second })
        {
            if (File.Exists(MarkOf(server)))
            {
                await server.StopAsync();
                File.Delete(MarkOf(server));
            }

            await server.StartAgainAsync(TestContext.Current.CancellationToken);
        }

        return (_first, _second);
    }

    /// <summary>Restarts a primary as a standby: it ends its sessions, answers queries, and refuses writes.</summary>
    internal static async Task DemoteAsync(TemporaryPostgres server)
    {
        await server.StopAsync();
        await File.WriteAllTextAsync(MarkOf(server), "", TestContext.Current.CancellationToken);
        await server.StartAgainAsync(TestContext.Current.CancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var server in new[] { _first, _second })
        {
            if (server is not null)
            {
                await server.DisposeAsync();
            }
        }
    }

    private static string MarkOf(TemporaryPostgres server) => Path.Combine(server.Folder, "data", "standby.signal");
}
