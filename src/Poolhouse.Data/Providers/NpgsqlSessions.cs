using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Providers;

/// <summary>The sessions of a PostgreSQL server.</summary>
// A role without privileges sees the role, the database and the name of every session, and all of its own ones. The function is
// what the view pg_stat_activity reads, without the view's joins, which cost the server as much as all the rest.
internal sealed class NpgsqlSessions : SessionLister
{
    public override bool ShowsNames => true;

    protected override string SessionIdProperty => "ProcessID";

    // Superusers are not subject to the limits of roles and databases. Walsenders and background workers have other limits.
    public override string StatementFor(string name, bool isCalm) =>
        $"""
        SET application_name TO '{name}';
        SELECT a.application_name, count(*),
            count(*) FILTER (WHERE a.usesysid = r.oid), CASE WHEN r.rolsuper THEN -1 ELSE r.rolconnlimit END,
            count(*) FILTER (WHERE a.datid = d.oid), CASE WHEN r.rolsuper THEN -1 ELSE d.datconnlimit END,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                - coalesce(current_setting('reserved_connections', true), '0')::int,
            pg_backend_pid()
        FROM pg_stat_get_activity(NULL) a, pg_roles r, pg_database d
        WHERE r.rolname = session_user AND d.datname = current_database() AND a.datid IS NOT NULL
            AND coalesce(a.backend_type, 'client backend') = 'client backend'
        GROUP BY a.application_name, r.rolsuper, r.rolconnlimit, d.datconnlimit
        """;
}
