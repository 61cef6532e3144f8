using System.Data.Common;
using System.Globalization;
using Npgsql;

namespace Poolhouse.Tool.Fleet;

/// <summary>PostgreSQL, whose list of sessions shows their names.</summary>
internal sealed class PostgresFleet : FleetServer
{
    // Visible to every role.
    private const string Query =
        """
        SELECT r.rolname, r.rolconnlimit, m[1], m[2], coalesce(min(host(a.client_addr)), ''),
            count(*) FILTER (WHERE m[3] IS NULL)::int, max(m[3]::int),
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid
            LEFT JOIN LATERAL regexp_matches(a.application_name, '(?:^| )ph/([^/ ]+)/([^/ ]+)(?:/w(\d+)h\d+)?$') m ON true
        WHERE a.datid IS NOT NULL AND a.pid <> pg_backend_pid()
        GROUP BY r.rolname, r.rolconnlimit, m[1], m[2] ORDER BY 1, 3 NULLS LAST, 4
        """;

    public override string Provider => "npgsql";

    public override string Word => "Role";

    public override DbDataSource Open(string connection) => NpgsqlDataSource.Create(connection + ";Pooling=false");

    public override async Task<IReadOnlyList<FleetInstance>> ReadAsync(DbDataSource source, CancellationToken cancellation)
    {
        var found = new List<FleetInstance>();
        var command = source.CreateCommand(Query);
        await using var _ = command.ConfigureAwait(false);
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var __ = reader.ConfigureAwait(false);
        while (await reader.ReadAsync(cancellation).ConfigureAwait(false))
        {
            found.Add(new FleetInstance(
                reader.GetString(0), reader.GetInt32(1), reader.GetValue(2) as string, reader.GetValue(3) as string,
                reader.GetString(4), reader.GetInt32(5), reader.GetValue(6) as int?, reader.GetInt32(7)));
        }

        return found;
    }

    public override string LimitOf(FleetInstance instance, int places)
    {
        var name = instance.Role.Replace("\"", "\"\"", StringComparison.Ordinal);
        return string.Create(CultureInfo.InvariantCulture, $"ALTER ROLE \"{name}\" CONNECTION LIMIT {places};");
    }
}
