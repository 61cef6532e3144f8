using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnNpgsql(PostgresServer shared) : ProviderConformance
{
    internal static IReadOnlyList<(string, string)> PostgreSqlLeftovers { get; } =
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

    internal override async Task<Subject> ConnectAsync() =>
        On(await shared.CreateDatabaseAsync(), NpgsqlFactory.Instance, static text => text);

    /// <summary>A subject for any provider of PostgreSQL.</summary>
    internal static Subject On(
        string connectionString, System.Data.Common.DbProviderFactory factory, Func<string, string> translate) =>
        new(factory, translate(connectionString))
        {
            Leftovers = PostgreSqlLeftovers,
            Setting = ("SET work_mem = 2048", "SET work_mem = '7MB'", "SELECT (setting::int / 1024)::text FROM pg_settings " +
                "WHERE name = 'work_mem'"),
            Sleep = "SELECT pg_sleep(30)",
            KillAllAsync = async () =>
            {
                await using var administrator = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
                await using var command = administrator.CreateCommand(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() " +
                    "AND pid <> pg_backend_pid()");
                await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
            },
        };
}
