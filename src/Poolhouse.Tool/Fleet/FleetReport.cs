using System.Data.Common;
using System.Globalization;

namespace Poolhouse.Tool.Fleet;

/// <summary>The instances that share a PostgreSQL server, by the names of their sessions.</summary>
internal static class FleetReport
{
    private const int Spare = 1;

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

    public static async Task<IReadOnlyList<FleetInstance>> ReadAsync(DbDataSource source, CancellationToken cancellation)
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

    public static IReadOnlyList<string> Describe(IReadOnlyList<FleetInstance> instances)
    {
        var lines = new List<string>();
        foreach (var role in instances.GroupBy(static each => each.Role, StringComparer.Ordinal))
        {
            if (role.All(static each => each.Budget is null))
            {
                continue;
            }

            var first = role.First();
            var used = role.Sum(static each => each.Sessions);
            var places = first.RoleLimit >= 0 ? first.RoleLimit : first.ServerLimit;
            lines.Add(Text($"Role {role.Key}: {used} of {places} places are used."));
            lines.Add("BUDGET            INSTANCE  HOST             HOLDS  WANTS  MAY HOLD");
            foreach (var budget in role.GroupBy(static each => each.Budget, StringComparer.Ordinal))
            {
                lines.AddRange(budget.Key is null
                    ? [Text($"(none)                                     {budget.Sum(static each => each.Sessions),5}")]
                    : DescribeBudget([.. budget], places - used - Spare));
            }

            if (first.RoleLimit < 0)
            {
                lines.Add("The role has no limit, so only the instances themselves keep to the server's. Run:");
                lines.Add(Text($"    ALTER ROLE {Quoted(role.Key)} CONNECTION LIMIT {places};"));
            }
        }

        return lines.Count > 0 ? lines : ["No sessions of a ServerBudget are on this server."];
    }

    private static IEnumerable<string> DescribeBudget(FleetInstance[] members, int room)
    {
        var shares = PoolBudget.Share(room, [.. members.Select(static each => (each.Held, each.Wanted ?? each.Held))]);
        return members.Zip(shares).Select(static each =>
        {
            var (member, share) = each;
            var wants = member.Wanted is { } wanted
                ? Text($"{wanted,5}  {share,8}{(wanted > member.Held ? "  waits" : string.Empty)}")
                : "    -         -  has no session of its own";
            return Text($"{member.Budget,-16}  {member.Member,-8}  {member.Host,-15}  {member.Held,5}  {wants}");
        });
    }

    private static string Quoted(string name) => $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
