using System.Globalization;

namespace Poolhouse.Tool.Fleet;

/// <summary>Shows the instances that share a server.</summary>
internal static class FleetReport
{
    private const int Spare = 1;

    public static IReadOnlyList<string> Describe(FleetServer server, IReadOnlyList<FleetInstance> instances)
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
            lines.Add(Text($"{server.Word} {role.Key}: {used} of {places} places are used."));
            lines.Add("BUDGET            INSTANCE  HOST             HOLDS  WANTS  MAY HOLD");
            foreach (var budget in role.GroupBy(static each => each.Budget, StringComparer.Ordinal))
            {
                lines.AddRange(budget.Key is null
                    ? [Text($"(none)                                     {budget.Sum(static each => each.Sessions),5}")]
                    : DescribeBudget([.. budget], places - used - Spare));
            }

            if (first.RoleLimit < 0)
            {
                lines.Add(
                    $"The {server.Word.ToLowerInvariant()} has no limit, so only the instances themselves keep to the "
                    + "server's. Run:");
                lines.Add($"    {server.LimitOf(first, places)}");
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

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
