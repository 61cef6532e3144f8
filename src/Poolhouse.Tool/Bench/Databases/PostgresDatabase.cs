using System.Data.Common;
using System.Globalization;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>PostgreSQL: a server of the user's, or one that was started for the measurement.</summary>
internal sealed class PostgresDatabase : Database
{
    private const string ObserverTag = "poolhouse";

    private readonly string _connectionString;
    private readonly Lazy<string> _version;
    private NpgsqlConnection? _observer;

    private PostgresDatabase(string connectionString, TemporaryPostgres? server)
    {
        _connectionString = connectionString;
        Server = server;
        _version = new Lazy<string>(ReadVersion);
    }

    public override DatabaseKind Kind => DatabaseKind.PostgreSql;

    public override string Name => $"PostgreSQL {_version.Value}";

    public override bool IsAsynchronous => true;

    public override string BriefQuery => "SELECT pg_sleep(0.002)";

    public override string WorkingQuery => "SELECT sum(i) FROM generate_series(1, 2000) AS i";

    protected override SessionReset ResetLikeProvider => SessionReset.Provider;

    /// <summary>The server, if this run may stop and start it; otherwise null.</summary>
    public TemporaryPostgres? Server { get; }

    /// <summary>A temporary server, removed together with the database.</summary>
    /// <exception cref="InvalidOperationException">This machine cannot run one; the message says why.</exception>
    public static async Task<PostgresDatabase> StartTemporaryAsync(CancellationToken cancellation)
    {
        // A fleet of a hundred members has a session each.
        var server = await TemporaryPostgres.StartAsync(new TemporaryPostgresOptions { MaxConnections = 150 }, cancellation)
            .ConfigureAwait(false);
        return new PostgresDatabase(server.ConnectionString, server);
    }

    /// <summary>The user's own server.</summary>
    /// <param name="connection">How to reach it.</param>
    /// <param name="isReadOnly">Whether each session begins with transactions read-only, which no session reset changes.</param>
    public static PostgresDatabase Of(NpgsqlConnectionStringBuilder connection, bool isReadOnly = false)
    {
        var settings = new NpgsqlConnectionStringBuilder(connection.ConnectionString);
        if (isReadOnly)
        {
            settings.Options = $"{settings.Options} -c default_transaction_read_only=on".Trim();
        }

        return new PostgresDatabase(settings.ConnectionString, server: null);
    }

    /// <summary>The connection string of sessions under a tag. It may hold a secret.</summary>
    public string ConnectionStringFor(string tag) =>
        new NpgsqlConnectionStringBuilder(_connectionString) { ApplicationName = tag }.ConnectionString;

    public override DbDataSource OpenWithoutPool(string tag) => NpgsqlDataSource.Create(
        new NpgsqlConnectionStringBuilder(_connectionString) { Pooling = false, ApplicationName = tag });

    /// <summary>As the server sees them.</summary>
    public override int? CountConnections(string tag)
    {
        // Not through a pool, so that the query does not change the result.
        using var command = (_observer ??= OpenObserver()).CreateCommand();
        command.CommandText = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
        command.Parameters.Add(new NpgsqlParameter { Value = tag });
        return Convert.ToInt32(command.ExecuteScalar(), CultureInfo.InvariantCulture);
    }

    public override int? CountRoom()
    {
        // A role without rights does not see the type of other roles' sessions. The limits of roles and databases do not hold for
        // superusers.
        const string Query =
            """
            WITH session AS (
                SELECT datid, usesysid FROM pg_stat_activity
                WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend')
            SELECT least(
                current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                    - coalesce(current_setting('reserved_connections', true), '0')::int - (SELECT count(*) FROM session),
                (SELECT rolconnlimit - (SELECT count(*) FROM session WHERE usesysid = r.oid)
                    FROM pg_roles r WHERE rolname = session_user AND NOT rolsuper AND rolconnlimit >= 0),
                (SELECT datconnlimit - (SELECT count(*) FROM session WHERE datid = d.oid)
                    FROM pg_database d, pg_roles r WHERE datname = current_database() AND datconnlimit >= 0
                    AND rolname = session_user AND NOT rolsuper))
            """;
        try
        {
            using var command = (_observer ??= OpenObserver()).CreateCommand();
            command.CommandText = Query;
            return Convert.ToInt32(command.ExecuteScalar(), CultureInfo.InvariantCulture);
        }
        catch (PostgresException)
        {
            // A proxy in front of the server, or a server that is not PostgreSQL.
            return null;
        }
    }

    public override void Dispose()
    {
        _observer?.Dispose();
        Server?.Dispose();
    }

    protected override DbDataSource OpenProviderPool(SourceSettings settings) =>
        NpgsqlDataSource.Create(PooledString(settings));

    protected override DbDataSource OpenPoolhouse(SourceSettings settings) =>
        PoolhouseSource.Create(NpgsqlFactory.Instance, PooledString(settings), settings);

    // The same for both: Poolhouse reads what is meant for the provider's pool.
    private string PooledString(SourceSettings settings) => new NpgsqlConnectionStringBuilder(_connectionString)
    {
        Pooling = true,
        MinPoolSize = 0,
        MaxPoolSize = settings.MaxSize,
        ApplicationName = settings.Tag,
    }.ConnectionString;

    private NpgsqlConnection OpenObserver()
    {
        var settings = new NpgsqlConnectionStringBuilder(_connectionString) { Pooling = false, ApplicationName = ObserverTag };
        var connection = new NpgsqlConnection(settings.ConnectionString);
        connection.Open();
        return connection;
    }

    private string ReadVersion()
    {
        using var source = OpenWithoutPool(ObserverTag);
        using var command = source.CreateCommand("SHOW server_version");

        // What follows the number is the package.
        return ((string)command.ExecuteScalar()!).Split(' ')[0];
    }
}
