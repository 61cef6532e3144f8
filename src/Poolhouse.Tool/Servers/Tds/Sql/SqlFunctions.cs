using System.Globalization;
using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>The functions of Transact-SQL that SQLite lacks; <c>@@NAME</c> is translated to <c>tds_NAME()</c>.</summary>
internal static class SqlFunctions
{
    /// <summary>The settings that show in <c>@@OPTIONS</c>, by their bits.</summary>
    private static readonly (string Setting, int Bit)[] _options =
    [
        ("IMPLICIT_TRANSACTIONS", 2), ("ANSI_WARNINGS", 8), ("ANSI_PADDING", 16), ("ANSI_NULLS", 32), ("ARITHABORT", 64),
        ("QUOTED_IDENTIFIER", 256), ("NOCOUNT", 512), ("CONCAT_NULL_YIELDS_NULL", 4096), ("NUMERIC_ROUNDABORT", 8192),
        ("XACT_ABORT", 16384),
    ];

    public static void Register(SqlSession session, TdsServer server)
    {
        var state = session.State;
        var tables = session.Tables;
        tables.CreateFunction("tds_SPID", () => session.Id);
        tables.CreateFunction("tds_TRANCOUNT", () => state.TransactionCount);
        tables.CreateFunction("tds_ROWCOUNT", () => state.LastRowCount);
        tables.CreateFunction("tds_ERROR", () => state.LastError);
        tables.CreateFunction("tds_OPTIONS", () => _options.Sum(option => state.IsOn(option.Setting) ? option.Bit : 0));
        tables.CreateFunction("tds_VERSION", () => "Microsoft SQL Server 2022, as a model in this process");
        tables.CreateFunction("tds_SERVERNAME", () => "TDS");
        tables.CreateFunction("tds_LANGUAGE", () => state.Settings["LANGUAGE"]);
        foreach (var setting in (string[])["LOCK_TIMEOUT", "DATEFIRST", "TEXTSIZE"])
        {
            tables.CreateFunction("tds_" + setting, () => long.Parse(state.Settings[setting], CultureInfo.InvariantCulture));
        }

        // The number of the row in the result of a statement.
        tables.CreateFunction("tds_position", () => session.RowsReturned++);
        tables.CreateFunction("tds_IDENTITY", () => LastIdentity(tables));
        tables.CreateFunction("SCOPE_IDENTITY", () => LastIdentity(tables));
        tables.CreateFunction("tds_sessions", () => Describe(server));
        tables.CreateFunction("DB_NAME", () => state.Database);
        tables.CreateFunction("APP_NAME", () => session.Login.Application);
        tables.CreateFunction("ORIGINAL_LOGIN", () => state.LoginUser);
        tables.CreateFunction("XACT_STATE", () => state.TransactionCount > 0 ? 1 : 0);
        tables.CreateFunction("CONTEXT_INFO", () => state.ContextInfo);
        tables.CreateFunction<string, object?>("SESSION_CONTEXT", key => state.Context.GetValueOrDefault(key));
        tables.CreateFunction<string, long?>(
            "SESSIONPROPERTY", setting => state.Settings.ContainsKey(setting) ? (state.IsOn(setting) ? 1 : 0) : null);
        tables.CreateFunction<string, string, long>(
            "CURSOR_STATUS", (_, name) => state.Cursors.TryGetValue(name, out var isOpen) ? (isOpen ? 1 : -1) : -3);
        tables.CreateFunction<string, string, string, string>(
            "APPLOCK_MODE", (_, resource, _) => server.Store.IsLockedBy(resource, session) ? "Exclusive" : "NoLock");
        tables.CreateFunction<string, long?>("OBJECT_ID", name => FindObject(tables, name));
        foreach (var user in (string[])["USER_NAME", "SUSER_NAME", "SUSER_SNAME", "SYSTEM_USER"])
        {
            tables.CreateFunction(user, () => state.Impersonated.TryPeek(out var other) ? other : state.LoginUser);
        }

        foreach (var clock in (string[])["GETDATE", "GETUTCDATE", "SYSDATETIME", "SYSUTCDATETIME"])
        {
            tables.CreateFunction(
                clock, () => server.Time.GetUtcNow().ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture));
        }

        tables.CreateFunction("NEWID", () => Guid.NewGuid().ToString());
        tables.CreateFunction<string?, int?>("LEN", text => text?.TrimEnd(' ').Length);
        tables.CreateFunction<object?, object?, object?>("ISNULL", (value, other) => value ?? other);
    }

    private static long LastIdentity(SqliteConnection tables) => SQLitePCL.raw.sqlite3_last_insert_rowid(tables.Handle);

    // Inside of a function, SQLite can be queried as well.
    private static long? FindObject(SqliteConnection tables, string name)
    {
        using var command = tables.CreateCommand();
        command.CommandText =
            "SELECT rowid FROM sqlite_master WHERE name = $name " +
            "UNION ALL SELECT rowid FROM temp.sqlite_master WHERE name = $name";
        command.Parameters.AddWithValue("$name", name[(name.LastIndexOf('.') + 1)..].Trim('[', ']'));
        return (long?)command.ExecuteScalar();
    }

    private static string Describe(TdsServer server) => new JsonArray(
    [
        .. server.Sessions.Select(session => new JsonObject
        {
            ["id"] = session.Id,
            ["level"] = session.State.IsolationLevel,
            ["open"] = session.State.TransactionCount,
            ["login"] = session.State.LoginUser,
            ["program"] = session.Login.Application,
            ["db"] = session.State.Database,
            ["deadlock"] = session.State.Settings["DEADLOCK_PRIORITY"],
            ["format"] = session.State.Settings["DATEFORMAT"],
            ["busy"] = session.IsBusy ? "running" : "sleeping",
        }),
    ]).ToJsonString();
}
