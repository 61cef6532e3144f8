using Poolhouse.Resources.Engine.Capacity;

namespace Poolhouse.Tests.Resources;

/// <summary>The arithmetic by which the members of a fleet share a limit.</summary>
public sealed class FairShares
{
    [Theory]
    [InlineData(0, "", "")]
    [InlineData(5, "0:0", "5")]
    [InlineData(0, "4:4 4:4", "4 4")]
    [InlineData(3, "4:4 4:4", "6 5")]
    [InlineData(0, "10:10 0:10", "5 0")]
    [InlineData(5, "5:10 0:10", "5 5")]
    [InlineData(2, "5:10 0:10", "4 2")]
    [InlineData(0, "10:2 0:10", "2 0")]
    [InlineData(0, "10:2 0:4", "6 0")]
    [InlineData(-1, "4:4 4:4 4:4", "4 4 3")]
    [InlineData(-20, "4:4 4:4", "0 0")]
    [InlineData(1, "0:9 0:9 0:9", "1 0 0")]
    [InlineData(10, "0:1 0:9 0:9", "1 5 4")]
    public void Members_give_way_to_those_that_want_more_and_grow_only_into_existing_room(int room, string members, string limits)
    {
        var list = members.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(member => member.Split(':'))
            .Select(member => (int.Parse(member[0], null), int.Parse(member[1], null)))
            .ToArray();

        Assert.Equal(limits, string.Join(' ', PoolBudget.Share(room, list)));
    }

    [Fact]
    public void A_division_uses_the_capacity_and_gives_nobody_more_than_another_that_wants_more()
    {
        var random = new Random(48);
        for (var round = 0; round < 5000; round++)
        {
            int[] wants = [.. Enumerable.Range(0, random.Next(20)).Select(_ => random.Next(-2, 12))];
            var capacity = random.Next(-5, 100);

            var parts = FairShare.Divide(capacity, wants);

            Assert.Equal(Math.Clamp(capacity, 0, wants.Sum(want => Math.Max(0, want))), parts.Sum());
            var most = parts.DefaultIfEmpty().Max();
            Assert.All(parts.Zip(wants), each => Assert.InRange(each.First, 0, Math.Max(0, each.Second)));
            Assert.All(
                parts.Zip(wants).Where(each => each.First < each.Second), each => Assert.InRange(each.First, most - 1, most));
        }
    }

    [Fact]
    public void Members_that_give_way_to_their_limits_make_the_room_that_is_missing()
    {
        var random = new Random(48);
        for (var round = 0; round < 5000; round++)
        {
            (int Held, int Wanted)[] members =
                [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => (random.Next(12), random.Next(12)))];
            var room = random.Next(-20, 40);

            var limits = PoolBudget.Share(room, members);

            var held = members.Sum(member => member.Held);
            var kept = members.Zip(limits).Sum(each => Math.Min(each.First.Held, each.Second));
            Assert.InRange(kept, 0, Math.Max(0, held + Math.Min(0, room)));
            Assert.InRange(
                members.Zip(limits).Sum(each => Math.Max(0, each.Second - each.First.Held)), 0, Math.Max(0, room));
        }
    }
}
