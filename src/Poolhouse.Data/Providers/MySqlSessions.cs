using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Providers;

/// <summary>The sessions of a MySQL or MariaDB server.</summary>
// The process list shows no names of sessions, but the text of a statement that runs. So the statement of a member waits, then
// returns the list, and the next one follows at once: the text, with the name as a comment, is nearly always visible. An account
// without privileges sees its own sessions only; without a limit of the account, the sessions of others are not counted.
internal sealed class MySqlSessions : SessionLister
{
    public override bool ShowsNames => false;

    protected override string SessionIdProperty => "ServerThread";

    public override string StatementFor(string name, bool isCalm) =>
        $"""
        /* {name} */ SELECT '' AS info, SLEEP({(isCalm ? "1" : "0.2")}) AS sessions, 0 AS of_user, {Limits} UNION ALL
        SELECT INFO, 1, 1, {Limits} FROM information_schema.PROCESSLIST WHERE USER = SUBSTRING_INDEX(USER(), '@', 1)
        """;

    private const string Limits =
        "IF(@@max_user_connections > 0, CAST(@@max_user_connections AS SIGNED), -1) AS user_limit, 0 AS of_database, " +
        "-1 AS database_limit, CAST(@@max_connections AS SIGNED) AS server_limit, CONNECTION_ID() AS id";
}
