using System.Runtime.CompilerServices;
using Poolhouse.Caching;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A thread returns its last item again, or a surplus one, while its items are moved to the depot (I1, I2).</summary>
public sealed class Sweeps(ITestOutputHelper output) : Exploration(output)
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_double_return_to_a_full_store_is_detected(int max) =>
        ExploreReturn(max, static last => last, PushResult.DoubleReturn);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_surplus_item_is_left_to_the_caller(int max) =>
        ExploreReturn(max, static _ => new object(), PushResult.Surplus);

    private void ExploreReturn(
        int max, Func<object, object> choose, PushResult expected, [CallerMemberName] string test = "") => Explore(run =>
    {
        var store = new TieredStore(new RetentionBudget(max), weight: 1);
        run.Actor("owner", () =>
        {
            var result = Return(store, choose(Fill(store, max)));
            Part.Require(result == expected, $"The return to a full store ended with {result}.");
        });
        run.Actor("sweeper", store.Gather);
        run.AtEnd(() => AssertDistinct(store, max));
    }, variant: $" {max}", test: test);

    private static object Fill(TieredStore store, int count)
    {
        while (true)
        {
            var item = new object();
            Part.Require(Return(store, item) == PushResult.Kept, "The store had room for the item.");
            if (--count == 0)
            {
                return item;
            }
        }
    }

    private static PushResult Return(TieredStore store, object item)
    {
        var own = store.Own();
        return own.TryPush(item) ? PushResult.Kept : store.PushToDepot(own, item);
    }

    private static void AssertDistinct(TieredStore store, int count)
    {
        var removed = new List<object?>();
        Assert.Equal(count, store.TrimAll(close: true, removed));
        Assert.Equal(count, removed.OfType<object>().Distinct().Count());
    }
}
