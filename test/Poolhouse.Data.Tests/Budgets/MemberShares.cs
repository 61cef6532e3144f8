using System.Data;
using Poolhouse.Data.Budgets;
using Poolhouse.Data.Providers;

namespace Poolhouse.Data.Tests.Budgets;

/// <summary>What a member may hold by the lists that it sees.</summary>
public sealed class MemberShares
{
    [Fact]
    public void A_member_that_comes_back_leaves_the_places_of_those_that_come_back_later()
    {
        var share = new MemberShare("a", showsNames: true);
        share.Follow(ListOf(places: 20, ("a", 4, 20), ("b", 4, 20), ("c", 4, 20), ("d", 4, 20)), live: 0);
        Assert.Equal(4, share.Limit);

        // The server was restarted.
        share.Follow(ListOf(places: 20, ("a", 2, 20)), live: 0, mayGrow: false);
        Assert.Equal(4, share.Limit);

        AssertGrows(share, 4, 8, 16, 18);
    }

    [Fact]
    public void A_limit_doubles_with_each_list_because_sessions_that_others_open_are_not_listed_yet()
    {
        var share = new MemberShare("a", showsNames: true);

        AssertGrows(share, 0, 4, 8, 16, 18);
    }

    [Fact]
    public void A_member_that_comes_back_gives_way_nevertheless()
    {
        var share = new MemberShare("b", showsNames: true);
        share.Follow(ListOf(places: 20, ("a", 8, 20), ("b", 8, 20)), live: 0);
        Assert.Equal(8, share.Limit);

        share.Follow(ListOf(places: 10, ("a", 4, 20), ("b", 4, 20)), live: 0, mayGrow: false);
        share.Follow(ListOf(places: 10, ("a", 4, 20), ("b", 4, 20)), live: 0, mayGrow: false);
        Assert.Equal(3, share.Limit);
    }

    [Fact]
    public async Task A_member_that_lost_its_session_wants_what_it_holds()
    {
        using var rows = new DataTable();
        foreach (var column in Enumerable.Range(0, 8))
        {
            rows.Columns.Add($"c{column}", column == 0 ? typeof(string) : typeof(long));
        }

        rows.Rows.Add("ph/orders/aaaaaaaa/w9h4", 1, 1, 20, 1, -1, 97, 7);
        rows.Rows.Add("shop ph/orders/aaaaaaaa", 4, 4, 20, 4, -1, 97, 7);
        rows.Rows.Add("shop ph/orders/bbbbbbbb", 5, 5, 20, 5, -1, 97, 7);
        await using var reader = rows.CreateDataReader();

        var list = await new NpgsqlSessions().ReadAsync(
            reader, "orders", places: null, TestContext.Current.CancellationToken);

        Assert.Equal([("aaaaaaaa", 4, 9), ("bbbbbbbb", 5, 5)], list.Members);
        Assert.Equal((10, 20), (list.Room, list.Places));
    }

    // Alone on 20 places, while all that it may hold is listed.
    private static void AssertGrows(MemberShare share, int held, params int[] limits)
    {
        foreach (var limit in limits)
        {
            share.Follow(ListOf(places: 20, ("a", held, 20)), live: 0);
            Assert.Equal(limit, share.Limit);
            held = limit;
        }
    }

    private static SessionList ListOf(int places, params (string Name, int Held, int Wanted)[] members) => new(
        places - members.Length - members.Sum(static each => each.Held), places, SessionId: 0, members);
}
