using Poolhouse.Testing;

namespace Poolhouse.Tests.Objects;

public sealed class RetentionBound
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 10)]
    [InlineData(8, 24)]
    [InlineData(16, 17)]
    [InlineData(33, 100)]
    [InlineData(1024, 2048)]
    public void One_thread_retains_exactly_MaxRetained_items(int max, int rented)
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, StatisticsAssert.Retaining(max));
        var items = Enumerable.Range(0, rented).Select(_ => pool.Get()).ToList();

        for (var round = 0; round < 3; round++)
        {
            items.ForEach(pool.Return);
            var statistics = pool.GetStatistics();
            Assert.Equal(max, statistics.Retained);
            StatisticsAssert.Balanced(statistics);
            items = [.. Enumerable.Range(0, rented).Select(_ => pool.Get())];
        }

        Assert.Equal((rented - max) * 3, pool.GetStatistics().Surplus);
    }

    [Fact]
    public void All_capacity_is_usable_although_another_thread_reserved_some()
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        var pool =
            new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { MaxRetained = 16, TimeProvider = clock });
        Threads.RunAlone(() => RentAndReturn(pool, 16));
        var held = new List<Item>();
        Threads.RunAlone(() => held.AddRange(RentMany(pool, 16)));
        Assert.Equal(0, pool.GetStatistics().Retained);

        clock.Advance(TimeSpan.FromMilliseconds(1));
        held.ForEach(pool.Return);

        Assert.Equal(16, pool.GetStatistics().Retained);
        Assert.Equal(0, pool.GetStatistics().Surplus);
    }

    [Fact]
    public void Items_of_other_threads_are_used_before_new_ones_are_created()
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        var pool =
            new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { MaxRetained = 8, TimeProvider = clock });
        Threads.RunAlone(() => RentAndReturn(pool, 8));

        RentMany(pool, 8);

        Assert.Equal(8, pool.GetStatistics().Created);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(8)]
    [InlineData(100)]
    public void The_bound_holds_at_every_instant_with_many_threads(int max)
    {
        const int ThreadCount = 8;
        const int Depth = 12;
        var alive = 0;
        var worst = 0;
        using var pool = new TieredObjectPool<Counted>(
            () =>
            {
                var now = Interlocked.Increment(ref alive);
                InterlockedMax(ref worst, now);
                return new Counted(() => Interlocked.Decrement(ref alive));
            },
            null,
            StatisticsAssert.Retaining(max));

        Threads.Run(ThreadCount, number =>
        {
            var random = new Random(number);
            var held = new Stack<Counted>();
            for (var step = 0; step < 20_000; step++)
            {
                if (held.Count < Depth && (held.Count == 0 || random.Next(2) == 0))
                {
                    held.Push(pool.Get());
                }
                else
                {
                    pool.Return(held.Pop());
                }

                if (step % 1_000 == 0)
                {
                    Assert.InRange(pool.GetStatistics().Retained, 0, max);
                }
            }

            while (held.TryPop(out var item))
            {
                pool.Return(item);
            }
        });

        // Every live item is retained or rented by a thread, and each thread rents at most Depth at a time.
        Assert.InRange(worst, 1, max + (ThreadCount * Depth));
        var statistics = pool.GetStatistics();
        Assert.Equal(alive, statistics.Retained);
        Assert.InRange(statistics.Retained, 1, max);
        StatisticsAssert.Balanced(statistics);
    }

    private static void InterlockedMax(ref int target, int value)
    {
        var seen = Volatile.Read(ref target);
        while (value > seen)
        {
            seen = Interlocked.CompareExchange(ref target, value, seen) is var before && before == seen ? value : before;
        }
    }

    private static List<Item> RentMany(TieredObjectPool<Item> pool, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => pool.Get())];

    private static void RentAndReturn(TieredObjectPool<Item> pool, int count) => RentMany(pool, count).ForEach(pool.Return);

    private sealed class Counted(Action gone) : IDisposable
    {
        public void Dispose() => gone();
    }
}
