using System.Collections.Concurrent;
using System.Threading.Channels;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Tests.Objects;

public sealed class CrossThreadReturns
{
    // A pool that passes no items from thread to thread has no hits at all.
    private const double Nearly = 0.95;

    [Theory]
    [InlineData(1024)]
    [InlineData(64)]
    public void Rent_on_one_thread_and_return_on_another_keeps_hitting(int max)
    {
        const int Items = 100_000;
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(max));
        using var belt = new BlockingCollection<Item>(boundedCapacity: 16);

        Threads.Run(2, number =>
        {
            if (number == 0)
            {
                for (var i = 0; i < Items; i++)
                {
                    belt.Add(pool.Get());
                }

                belt.CompleteAdding();
                return;
            }

            foreach (var item in belt.GetConsumingEnumerable())
            {
                pool.Return(item);
            }
        });

        var statistics = pool.GetStatistics();
        Assert.Equal(Items, statistics.Rented);
        Assert.InRange((double)statistics.Hits / statistics.Rented, Nearly, 1);
        StatisticsAssert.Balanced(statistics);
    }

    // Sweeps are rarer the longer they take, but the process may also have been suspended during one.
    [Fact]
    public void A_clock_that_jumps_during_a_sweep_does_not_end_the_exchange_between_threads()
    {
        var options = StatisticsAssert.Retaining(64);
        options.TimeProvider = new LeapingClock();
        var pool = new TieredObjectPool<Item>(() => new Item(), null, options);
        for (var round = 0; round < 3; round++)
        {
            using var isReturned = new ManualResetEventSlim();
            using var end = new ManualResetEventSlim();
            var other = new Thread(UseEight) { IsBackground = true };
            other.Start();
            Assert.True(isReturned.Wait(Background.Limit));
            var before = pool.GetStatistics().Hits;
            for (var i = 0; i < 64; i++)
            {
                pool.Get();
            }

            end.Set();
            other.Join();
            Assert.Equal(before + 8, pool.GetStatistics().Hits);

            void UseEight()
            {
                var items = Enumerable.Range(0, 8).Select(_ => pool.Get()).ToList();
                items.ForEach(pool.Return);
                isReturned.Set();
                end.Wait();
            }
        }
    }

    // A rent misses only while the depot is empty, so all other items are then leased or on the stacks of other threads. How many
    // threads take part is up to the thread pool; MaxRetained is high enough for all their stacks.
    [Fact]
    public async Task Rents_whose_flow_changes_threads_at_awaits_miss_only_what_other_threads_keep()
    {
        const int Flows = 8;
        const int Steps = 5_000;
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(1_000_000));
        var threads = new ConcurrentDictionary<int, bool>();

        await Task.WhenAll(Enumerable.Range(0, Flows).Select(_ => Task.Run(async () =>
        {
            for (var step = 0; step < Steps; step++)
            {
                threads[Environment.CurrentManagedThreadId] = true;
                await using var lease = pool.Rent();
                await Task.Yield();
                threads[Environment.CurrentManagedThreadId] = true;
                lease.Value.Uses++;
            }
        })));

        var statistics = pool.GetStatistics();
        Assert.Equal((Flows * Steps, 0), (statistics.Rented, statistics.Destroyed));
        Assert.InRange(statistics.Misses, 1, ((threads.Count - 1) * ThreadStack.Capacity) + Flows);
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void Leases_pass_through_a_channel_intact()
    {
        const int Count = 20_000;
        const int Buffered = 8;
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(1024));
        var channel = Channel.CreateBounded<Lease<Item>>(Buffered);

        Threads.Run(2, number =>
        {
            for (var i = 0; i < Count; i++)
            {
                if (number == 0)
                {
                    channel.Writer.WriteAsync(pool.Rent()).AsTask().GetAwaiter().GetResult();
                    continue;
                }

                using var lease = channel.Reader.ReadAsync().AsTask().GetAwaiter().GetResult();
                lease.Value.Uses++;
            }
        });

        var statistics = pool.GetStatistics();
        Assert.Equal((Count, 0, 0), (statistics.Returned, statistics.Leased, statistics.DoubleReturns));
        Assert.InRange(statistics.Misses, 1, ThreadStack.Capacity + Buffered + 2);
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void A_lease_of_an_ended_thread_ends_once()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(4));
        var lease = default(Lease<Item>);
        Threads.Run(1, _ => lease = pool.Rent());
        Threads.Run(2, _ => lease.Dispose());

        var statistics = pool.GetStatistics();
        Assert.Equal((1, 1, 1), (statistics.Returned, statistics.Retained, statistics.DoubleReturns));
        StatisticsAssert.Balanced(statistics);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_tainted_item_is_destroyed_when_its_own_thread_ends_the_lease(bool isTaintedElsewhere)
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, StatisticsAssert.Retaining(4));
        pool.Rent().Dispose();
        var lease = pool.Rent();
        var item = lease.Value;
        if (isTaintedElsewhere)
        {
            Threads.Run(1, _ => lease.Taint());
        }
        else
        {
            lease.Taint();
        }

        lease.Dispose();

        Assert.Equal((1, 0), (item.Disposals, pool.GetStatistics().Retained));
        Assert.Equal((1, 1), (pool.GetStatistics().Returned, pool.GetStatistics().Discarded));
    }

    /// <summary>10 seconds pass between any two readings.</summary>
    private sealed class LeapingClock : TimeProvider
    {
        private long _readings;

        public override long GetTimestamp() => Interlocked.Increment(ref _readings) * TimestampFrequency * 10;
    }
}
