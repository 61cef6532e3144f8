using System.Text;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that object pools had, each reproduced against this one.</summary>
public sealed class ObjectPoolRegressions
{
    [Fact]
    public void Aspnetcore_3493_one_object_to_two_threads()
    {
        var pool = new TieredObjectPool<Stamped>(() => new Stamped(), null, StatisticsAssert.Retaining(4));
        Threads.Run(4, _ =>
        {
            for (var i = 0; i < 100_000; i++)
            {
                var item = pool.Get();
                Assert.Equal(1, Interlocked.Increment(ref item.Owners));
                Interlocked.Decrement(ref item.Owners);
                pool.Return(item);
            }
        });
    }

    [Fact]
    public void Extensions_273_and_roslyn_10996_returned_objects_are_lost()
    {
        var policy = new RecordingPolicy<Item>(() => new Item());

        // Enough capacity for all that eight threads may reserve, so that none has to reclaim capacity from another.
        var pool = new TieredObjectPool<Item>(policy, StatisticsAssert.Retaining(1024));
        var items = Enumerable.Range(0, 64).Select(_ => pool.Get()).ToList();
        Threads.Run(8, number =>
        {
            foreach (var item in items.Chunk(8).ElementAt(number))
            {
                pool.Return(item);
            }
        });

        Assert.Equal(64, pool.GetStatistics().Retained + pool.GetStatistics().Surplus);
        Assert.Equal(0, pool.GetStatistics().Surplus);
    }

    [Fact]
    public void Aspnetcore_52873_a_returned_null_is_rented_again()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        Assert.Throws<ArgumentNullException>(() => pool.Return(null!));

        Assert.NotNull(pool.Get());
    }

    [Fact]
    public void Runtime_118292_a_double_return_poisons_a_later_renter()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        var lease = pool.Rent();
        lease.Dispose();
        lease.Dispose();

        Assert.NotSame(pool.Rent().Value, pool.Rent().Value);
    }

    [Fact]
    public void Efcore_a_reset_that_throws_leaks_capacity()
    {
        var throws = true;
        var pool = new TieredObjectPool<Item>(
            () => new Item(), _ => throws ? throw new InvalidOperationException() : true, StatisticsAssert.Retaining(1));
        Assert.Throws<InvalidOperationException>(() => pool.Return(pool.Get()));
        throws = false;
        pool.Return(pool.Get());

        Assert.Equal(1, pool.GetStatistics().Retained);
    }

    [Fact]
    public void Orleans_10073_objects_of_threads_that_ended_are_lost_to_the_pool()
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { TimeProvider = clock });
        Threads.RunAlone(() => pool.Prefill(5));

        var items = Enumerable.Range(0, 5).Select(_ => pool.Get()).ToList();

        Assert.Equal(5, pool.GetStatistics().Created);
        Assert.Equal(5, items.Distinct().Count());
    }

    [Fact]
    public void Go_23199_one_large_object_is_retained_forever()
    {
        var pool = new TieredObjectPool<StringBuilder>(new StringBuilderPooledObjectPolicy { MaximumRetainedCapacity = 1_000 });
        var builder = pool.Get();
        builder.Append('x', 100_000);
        pool.Return(builder);

        Assert.Equal((0, 1), (pool.GetStatistics().Retained, pool.GetStatistics().Refused));
    }

    [Fact]
    public void Npgsql_4425_a_double_end_from_two_threads_returns_twice()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        for (var round = 0; round < 500; round++)
        {
            var lease = pool.Rent();
            Threads.Run(2, number =>
            {
                if (number == 0)
                {
                    lease.Dispose();
                }
                else
                {
                    lease.Discard();
                }
            });
        }

        var statistics = pool.GetStatistics();
        Assert.Equal(500, statistics.Returned + statistics.Discarded);
        Assert.Equal((500, 0), (statistics.DoubleReturns, statistics.Leased));
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void Aspnetcore_disposable_pool_a_return_after_the_drain_is_never_disposed()
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem());
        var item = pool.Get();
        pool.Dispose();
        pool.Return(item);

        Assert.Equal(1, item.Disposals);
    }

    private sealed class Stamped
    {
        public int Owners;
    }
}
