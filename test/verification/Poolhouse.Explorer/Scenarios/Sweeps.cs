using Poolhouse.Caching;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A thread returns its last item again, or a surplus one, while its items are moved to the depot (I1, I2).</summary>
public sealed class Sweeps(ITestOutputHelper output) : Exploration(output)
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_double_return_to_a_full_store_is_detected(int max) => Explore(run =>
    {
        var store = new TieredStore(new RetentionBudget(max), weight: 1);
        run.Actor("owner", () =>
        {
            var last = Fill(store, max);
            Part.Require(Return(store, last) == PushResult.DoubleReturn, "The store did not notice that it has the item.");
        });
        run.Actor("sweeper", store.Gather);
        run.AtEnd(() => AssertDistinct(store, max));
    }, variant: $" {max}");

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_surplus_item_is_left_to_the_caller(int max) => Explore(run =>
    {
        var store = new TieredStore(new RetentionBudget(max), weight: 1);
        run.Actor("owner", () =>
        {
            Fill(store, max);
            Part.Require(Return(store, new object()) == PushResult.Surplus, "The store keeps more than its limit.");
        });
        run.Actor("sweeper", store.Gather);
        run.AtEnd(() => AssertDistinct(store, max));
    }, variant: $" {max}");

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
        var removed = new RemovedItems();
        store.TrimAll(close: true, removed);
        var items = removed.Blocks.SelectMany(static block => block).Where(static item => item is not null).ToList();
        Assert.Equal((count, count), (removed.Count, items.Distinct().Count()));
    }
}
