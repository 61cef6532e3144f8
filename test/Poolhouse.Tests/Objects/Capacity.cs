
namespace Poolhouse.Tests.Objects;

public sealed class Capacity
{
    [Fact]
    public void Prefill_creates_the_requested_number()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(100));

        Assert.Equal(70, pool.Prefill(70));
        var statistics = pool.GetStatistics();
        Assert.Equal((70, 70, 0, 0), (statistics.Created, statistics.Retained, statistics.Rented, statistics.Returned));

        pool.Return(pool.Get());
        Assert.Equal(70, pool.GetStatistics().Created);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void Prefill_stops_at_the_bound_and_creates_no_surplus()
    {
        var policy = new RecordingPolicy<DisposableItem>(() => new DisposableItem());
        var pool = new TieredObjectPool<DisposableItem>(policy, StatisticsAssert.Retaining(10));

        Assert.Equal(10, pool.Prefill(1_000));
        Assert.Equal(10, policy.Created.Count);
        Assert.Equal(0, pool.Prefill(1));
        Assert.All(policy.Created, item => Assert.Equal(0, item.Disposals));
    }

    [Fact]
    public void Prefill_does_not_destroy_an_item_that_the_delegate_returns_again()
    {
        var item = new DisposableItem();
        var pool = new TieredObjectPool<DisposableItem>(() => item, null, StatisticsAssert.Retaining(10));

        Assert.Equal(1, pool.Prefill(2));

        var statistics = pool.GetStatistics();
        Assert.Equal((1, 1, 0, 0), (statistics.Created, statistics.Retained, statistics.Returned, statistics.Leased));
        Assert.Equal(0, item.Disposals);
        Assert.Same(item, pool.Get());
    }

    [Fact]
    public void Concurrent_prefills_keep_the_counters_consistent()
    {
        for (var round = 0; round < 200; round++)
        {
            var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, StatisticsAssert.Retaining(3));
            var held = pool.Get();
            Threads.Run(4, _ => pool.Prefill(3));

            var statistics = pool.GetStatistics();
            Assert.Equal((1, 0), (statistics.Leased, statistics.Returned));
            Assert.InRange(statistics.Retained, 1, 3);
            StatisticsAssert.Balanced(statistics);
            GC.KeepAlive(held);
        }
    }

    [Fact]
    public void Prefill_with_a_negative_number_is_an_error() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new TieredObjectPool<Item>(() => new Item()).Prefill(-1));

    [Fact]
    public void Trim_destroys_the_retained_items_of_all_threads_and_returns_the_number()
    {
        var policy = new RecordingPolicy<DisposableItem>(() => new DisposableItem());
        var pool = new TieredObjectPool<DisposableItem>(policy, StatisticsAssert.Retaining(100));
        Threads.RunAlone(() => pool.Prefill(20));
        pool.Prefill(20);
        var leased = pool.Rent();

        Assert.Equal(39, pool.Trim());
        Assert.Equal(0, pool.Trim());

        Assert.Equal(39, policy.Created.Sum(item => item.Disposals));
        Assert.Equal(0, leased.Value.Disposals);
        pool.Prefill(5);
        Assert.Equal(5, pool.GetStatistics().Retained);
    }

    [Fact]
    public void Hits_and_misses_show_whether_the_pool_is_large_enough()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(2));
        for (var round = 0; round < 10; round++)
        {
            Item[] items = [pool.Get(), pool.Get(), pool.Get()];
            Array.ForEach(items, pool.Return);
        }

        var statistics = pool.GetStatistics();
        Assert.Equal((30, 18, 12), (statistics.Rented, statistics.Hits, statistics.Misses));
        Assert.Equal((30, 10, 12), (statistics.Returned, statistics.Surplus, statistics.Created));
        Assert.Equal((2, 0), (statistics.Retained, statistics.Leased));
        Assert.Equal(0, statistics.RetainedBytes);
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void The_peak_is_the_largest_number_of_live_items()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(10));
        var items = Enumerable.Range(0, 640).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);

        Assert.Equal(640, pool.GetStatistics().PeakLive);
    }

    [Fact]
    public void Foreign_items_are_accepted_as_DefaultObjectPool_does()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        var foreign = new Item();
        pool.Return(foreign);

        Assert.Same(foreign, pool.Get());
        Assert.Equal(0, pool.GetStatistics().Created);
    }
}
