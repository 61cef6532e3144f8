using System.Data.Common;
using System.Globalization;
using Npgsql;

namespace Poolhouse.Data.Tests.Faults.Kinds;

internal sealed class PostgreSqlKind : ServerKind
{
    private const string Owner = "poolhouse.owner";

    public override IReadOnlyList<string> Messes { get; } =
    [
        $"SELECT set_config('{Owner}', 'somebody', false)",
        $"BEGIN; SELECT set_config('{Owner}', 'somebody', false)",
        $"SET {Owner} = 'somebody'; SET statement_timeout = 1000; SET search_path = nowhere",
    ];

    public override string LimitStatements => "SET statement_timeout = 5";

    public static NpgsqlDataSource CreateSource(
        string connectionString, string sessionName, Action<NpgsqlConnectionStringBuilder>? connect)
    {
        var builder = new NpgsqlConnectionStringBuilder(connectionString)
        {
            Pooling = false,
            Enlist = false,
            ApplicationName = sessionName,
            Timeout = 30,
            CommandTimeout = 20,
            CancellationTimeout = 100,
        };
        connect?.Invoke(builder);
        return NpgsqlDataSource.Create(builder);
    }

    public override DbDataSource CreateSource(string connectionString, string sessionName) =>
        CreateSource(connectionString, sessionName, connect: null);

    public override string At(string connectionString, string host, int port) =>
        new NpgsqlConnectionStringBuilder(connectionString) { Host = host, Port = port }.ConnectionString;

    public override int PortOf(string connectionString) => new NpgsqlConnectionStringBuilder(connectionString).Port;

    public override ISessionWatch Watch(string connectionString) => new ServerWatch(connectionString);

    public override int SessionOf(DbConnection connection) => ((NpgsqlConnection)connection).ProcessID;

    public override string SelectNumber(long number) => string.Create(CultureInfo.InvariantCulture, $"SELECT {number}::bigint");

    public override string Sleep(int seconds) =>
        string.Create(CultureInfo.InvariantCulture, $"SELECT 1 FROM pg_sleep({seconds})");

    public override string SelectWithOwner(string text, int milliseconds) => string.Create(
        CultureInfo.InvariantCulture,
        $"SELECT '{text}|' || coalesce(current_setting('{Owner}', true), '') FROM pg_sleep({milliseconds} / 1000.0)");

    public override bool IsStatementCancelled(DbException failure) =>
        string.Equals(failure.SqlState, PostgresErrorCodes.QueryCanceled, StringComparison.Ordinal);

    // A cancellation by the caller, or by the timeout of a command, is the inner exception of another one.
    public override bool IsTimeLimit(Exception failure) =>
        failure is PostgresException { SqlState: PostgresErrorCodes.QueryCanceled };
}
