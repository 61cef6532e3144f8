using Dapper;
using Microsoft.Data.SqlClient;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>
/// On a model of SQL Server, or on the server that <c>POOLHOUSE_SQLSERVER</c> has a connection string for: of an account that may
/// create databases and end sessions.
/// </summary>
public sealed class OnSqlClient : ServerConformance, IAsyncDisposable
{
    private static readonly string? _real = Environment.GetEnvironmentVariable("POOLHOUSE_SQLSERVER");

    private readonly TdsServer? _model = _real is null ? TdsServer.Start() : null;
    private readonly string _database = "poolhouse_" + Guid.NewGuid().ToString("N");

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_model is not null)
        {
            await _model.DisposeAsync();
            return;
        }

        await using var administrator = new SqlConnection(Unpooled);
        await administrator.ExecuteAsync(
            $"IF DB_ID('{_database}') IS NOT NULL BEGIN ALTER DATABASE {_database} SET SINGLE_USER WITH ROLLBACK IMMEDIATE; " +
            $"DROP DATABASE {_database}; END");
    }

    private static string Unpooled => new SqlConnectionStringBuilder(_real) { Pooling = false }.ConnectionString;

    internal override async Task<Subject> ConnectAsync()
    {
        if (_model is not null)
        {
            return On(_model.ConnectionString);
        }

        await using var administrator = new SqlConnection(Unpooled);
        await administrator.ExecuteAsync($"CREATE DATABASE {_database}");
        return On(new SqlConnectionStringBuilder(_real) { InitialCatalog = _database }.ConnectionString);
    }

    internal override Task<StoppableServer> StartOwnAsync()
    {
        Assert.SkipUnless(_model is not null, "A real server is not restarted.");
        return Task.FromResult(new StoppableServer(
            On(_model.ConnectionString), _model,
            () =>
            {
                _model.Stop();
                return Task.CompletedTask;
            },
            () =>
            {
                _model.StartAgain();
                return Task.CompletedTask;
            }));
    }

    private protected override string Sleep => "WAITFOR DELAY '00:00:30'";

    private protected override async Task<bool> IsSleepingAsync()
    {
        if (_model is not null)
        {
            return _model.Sessions.Any(session => session.IsBusy);
        }

        await using var administrator = new SqlConnection(Unpooled);
        return await administrator.ExecuteScalarAsync<int>(
            $"SELECT COUNT(*) FROM sys.dm_exec_requests WHERE database_id = DB_ID('{_database}') AND command = 'WAITFOR'") > 0;
    }

    private protected override async Task KillAllAsync()
    {
        if (_model is not null)
        {
            _model.KillAll();
            return;
        }

        await using var administrator = new SqlConnection(Unpooled);
        foreach (var id in await administrator.QueryAsync<int>(
            $"SELECT session_id FROM sys.dm_exec_sessions WHERE database_id = DB_ID('{_database}')"))
        {
            await administrator.ExecuteAsync($"KILL {id}");
        }
    }

    // The driver itself replaces a session that was ended, which no pool notices.
    private static Subject On(string connectionString) => new(
        SqlClientFactory.Instance, new SqlConnectionStringBuilder(connectionString) { ConnectRetryCount = 0 }.ConnectionString)
    {
        Leftovers =
        [
            ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID"),
            ("SET LOCK_TIMEOUT 5", "SELECT @@LOCK_TIMEOUT"),
            ("SET LANGUAGE German", "SELECT @@LANGUAGE"),
            ("SET XACT_ABORT ON", "SELECT @@OPTIONS"),
            ("EXEC sp_set_session_context N'tenant', 7", "SELECT SESSION_CONTEXT(N'tenant')"),
            ("CREATE TABLE #mine (x INT)", "SELECT CASE WHEN OBJECT_ID('tempdb..#mine') IS NULL THEN 0 ELSE 1 END"),
            ("DECLARE mine CURSOR GLOBAL FOR SELECT 1 AS x; OPEN mine", "SELECT CURSOR_STATUS('global', 'mine')"),
            ("EXEC sp_getapplock @Resource = 'mine', @LockMode = 'Exclusive', @LockOwner = 'Session'",
                "SELECT APPLOCK_MODE('public', 'mine', 'Session')"),
            ("SET CONTEXT_INFO 0x0102", "SELECT CONTEXT_INFO()"),
            ("SET NOEXEC ON", "SELECT DB_NAME()"),
            ("SET PARSEONLY ON", "SELECT DB_NAME()"),
            ("SET FMTONLY ON", "SELECT DB_NAME()"),
            ("EXECUTE AS USER = 'guest'", "SELECT USER_NAME()"),
            ("BEGIN TRANSACTION", "SELECT @@TRANCOUNT"),
            ("USE tempdb", "SELECT DB_NAME()"),
        ],
        Begin = "BEGIN TRANSACTION",
        Setting = ("SET LOCK_TIMEOUT 2", "SET LOCK_TIMEOUT 3", "SELECT @@LOCK_TIMEOUT"),
    };
}
