using System.Data.Common;
using Dapper;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>For the providers of PostgreSQL.</summary>
public abstract class PostgreSqlConformance(PostgresServer shared) : ServerConformance
{
    private static readonly IReadOnlyList<(string, string)> _leftovers =
    [
        ("SET search_path = nowhere, public", "SELECT current_setting('search_path')"),
        ("SELECT set_config('work_mem', '123kB', false)", "SELECT current_setting('work_mem')"),
        ("CREATE TEMP TABLE mine (x INT)", "SELECT COUNT(*) FROM pg_class WHERE relname = 'mine'"),
        ("SELECT 1 AS x INTO TEMP others", "SELECT COUNT(*) FROM pg_class WHERE relname = 'others'"),
        (
            "SELECT pg_advisory_lock(7)",
            "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
        ),
        ("LISTEN cups", "SELECT COUNT(*) FROM pg_listening_channels()"),
        ("PREPARE mine AS SELECT 1", "SELECT COUNT(*) FROM pg_prepared_statements WHERE name = 'mine'"),
    ];

    private string? _asAdministrator;

    internal override async Task<Subject> ConnectAsync() => On(await shared.CreateDatabaseAsync());

    internal override async Task<StoppableServer> StartOwnAsync()
    {
        var server = await PostgresServer.StartOwnAsync();
        return new StoppableServer(
            On(server.ConnectionString), server, () => server.StopAsync(), () => server.StartAgainAsync(Token));
    }

    private protected abstract DbProviderFactory Factory { get; }

    private protected virtual DbProviderProfile? OwnProfile => null;

    /// <summary>The provider's connection string for one of Npgsql.</summary>
    private protected virtual string Translate(string connectionString) => connectionString;

    private protected override string Sleep => "SELECT pg_sleep(30)";

    private protected override async Task<bool> IsSleepingAsync()
    {
        await using var administrator = new NpgsqlConnection(_asAdministrator);
        return await administrator.ExecuteScalarAsync<bool>(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database())");
    }

    private protected override async Task KillAllAsync()
    {
        await using var administrator = new NpgsqlConnection(_asAdministrator);
        await administrator.ExecuteAsync(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() " +
            "AND pid <> pg_backend_pid()");
    }

    private Subject On(string connectionString)
    {
        _asAdministrator = connectionString + ";Pooling=false";
        return new(Factory, Translate(connectionString))
        {
            OwnProfile = OwnProfile,
            Leftovers = _leftovers,
            Setting = ("SET work_mem = 2048", "SET work_mem = '7MB'", "SELECT (setting::int / 1024)::text FROM pg_settings " +
                "WHERE name = 'work_mem'"),
        };
    }
}
