namespace Poolhouse.Data.Tests.Budgets;

/// <summary>
/// I34: members of a budget that crash, stop, miss beats, restart and change what they want, in a million steps altogether.
/// </summary>
public sealed class Fleets
{
    [Theory]
    [InlineData(true, 5, 8, 500_000, 100)]
    [InlineData(true, 5, 32, 300_000, 50)]
    [InlineData(true, 5, 128, 150_000, 10)]
    [InlineData(true, 5, 1000, 50_000, 2)]

    // What members state is older than what a list of names shows.
    [InlineData(false, 12, 8, 100_000, 20)]
    [InlineData(false, 12, 128, 20_000, 2)]
    public void A_fleet_settles_within_some_beats_and_leaves_a_place_for_the_next_member(
        bool showsNames, int beats, int members, int steps, int checks)
    {
        var places = 6 * members;
        var fleet = new Fleet(members, places, showsNames, seed: members);
        for (var i = 1; i <= steps; i++)
        {
            fleet.Step();
            if (i % (steps / checks) == 0)
            {
                fleet.Settle(beats);
                AssertSettled(fleet, places);
            }
        }

        Assert.InRange(fleet.MostUsed, places - 1, places);

        Assert.True(fleet.Refused <= fleet.Opened / 100, $"{fleet.Refused} of {fleet.Opened} opens were refused.");
    }

    private static void AssertSettled(Fleet fleet, int places)
    {
        var members = fleet.Members;
        Assert.All(members, member => Assert.True(member.IsJoined, "A member has no session."));
        var hungry = members.Where(member => member.Held < member.Wanted).ToList();
        var most = members.Max(member => member.Held);
        Assert.All(hungry, member => Assert.InRange(member.Held, most - 1, most));
        Assert.True(fleet.Used <= places - 1, "No place is free.");
        Assert.True(hungry.Count == 0 || fleet.Used == places - 1, $"{places - 1 - fleet.Used} places are unused.");
    }
}
