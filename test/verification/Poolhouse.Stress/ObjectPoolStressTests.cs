using System.Collections.Concurrent;

namespace Poolhouse.Stress;

/// <summary>Real threads, real time and owner stamps, for interleavings that unit tests do not cover.</summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class ObjectPoolStressTests(ITestOutputHelper output)
{
    private const int ThreadCount = 6;

    private readonly StressRun _run = new(output);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(8)]
    [InlineData(300)]
    public void Each_item_has_one_owner_during_sweeps(int max)
    {
        using var pool = NewPool(max);
        using var hands = new ThreadLocal<Stack<Stamped>>(() => new Stack<Stamped>());
        _run.Run(
            ThreadCount,
            random =>
            {
                // Series of quick rents and returns, so that a sweep often coincides with one.
                for (var i = 0; i < 200; i++)
                {
                    PutBack(pool, TakeOne(pool));
                }

                var held = hands.Value!;
                for (var wanted = random.Next(40); held.Count < wanted;)
                {
                    held.Push(TakeOne(pool));
                }

                while (held.TryPop(out var item))
                {
                    PutBack(pool, item);
                }

                Sweep(pool, random);
                Assert.InRange(pool.GetStatistics().Retained, 0, max);
            });

        AssertAtRest(pool, max);
    }

    [Fact]
    public void Each_lease_has_one_owner_while_leases_change_threads()
    {
        using var pool = NewPool(50);
        var belt = new ConcurrentQueue<Lease<Stamped>>();
        _run.Run(
            ThreadCount,
            random =>
            {
                var lease = pool.Rent();
                lease.Value.Take();
                belt.Enqueue(lease);
                if (random.Next(3) > 0 && belt.TryDequeue(out var other))
                {
                    End(other, random);
                }

                if (random.Next(1_000) == 0)
                {
                    Sweep(pool, random);
                }
            },
            () =>
            {
                while (belt.TryDequeue(out var lease))
                {
                    End(lease, new Random(1));
                }
            });

        AssertAtRest(pool, 50);
    }

    [Fact]
    public void Stacks_of_ended_threads_are_reused()
    {
        using var pool = NewPool(100);
        _run.Run(
            2,
            random =>
            {
                var depth = random.Next(1, 20);
                var thread = new Thread(() =>
                {
                    var held = Enumerable.Range(0, depth).Select(_ => TakeOne(pool)).ToList();
                    held.ForEach(item => PutBack(pool, item));
                });
                thread.Start();
                thread.Join();
                if (random.Next(50) == 0)
                {
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                }
            });

        AssertAtRest(pool, 100);
    }

    [Fact]
    public void Disposal_at_any_moment_disposes_each_item_once()
    {
        var before = Stamped.Alive;
        _run.Run(
            1,
            random =>
            {
                var pool = NewPool(random.Next(1, 40));
                var users = Enumerable.Range(0, 3).Select(_ => new Thread(() => UseUntilDisposed(pool))).ToList();
                users.ForEach(user => user.Start());
                Thread.SpinWait(random.Next(30_000));
                pool.Dispose();
                users.ForEach(user => user.Join());
                Assert.Equal(0, pool.GetStatistics().DestroyFailures);
            });

        Assert.Equal(before, Stamped.Alive);
    }

    // Without the pressure of the garbage collector, which trims at any moment on a small machine.
    private static TieredObjectPool<Stamped> NewPool(int max) => new(
        () => new Stamped(), null, new ObjectPoolOptions
        {
            MaxRetained = max,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MemoryPressure = new MemoryPressureSource(),
        });

    private static Stamped TakeOne(TieredObjectPool<Stamped> pool)
    {
        var item = pool.Get();
        item.Take();
        return item;
    }

    private static void PutBack(TieredObjectPool<Stamped> pool, Stamped item)
    {
        item.Release();
        pool.Return(item);
    }

    private static void End(Lease<Stamped> lease, Random random)
    {
        lease.Value.Release();
        if (random.Next(20) == 0)
        {
            lease.Discard();
        }
        else
        {
            lease.Dispose();
        }

        lease.Dispose();
    }

    private static void Sweep(TieredObjectPool<Stamped> pool, Random random)
    {
        switch (random.Next(4))
        {
            case 0:
                pool.Trim();
                break;
            case 1:
                // Gathers the items of the threads before it checks for free capacity.
                pool.Prefill(1);
                break;
            default:
                break;
        }
    }

    private static void UseUntilDisposed(TieredObjectPool<Stamped> pool)
    {
        try
        {
            while (true)
            {
                PutBack(pool, TakeOne(pool));
            }
        }
        catch (ObjectDisposedException)
        {
            // Expected: the pool was disposed between two rents.
        }
    }

    private static void AssertAtRest(TieredObjectPool<Stamped> pool, int max)
    {
        var statistics = pool.GetStatistics();
        Assert.Equal((0, 0), (statistics.Leased, statistics.DestroyFailures));
        Assert.Equal(statistics.Created, statistics.Retained + statistics.Destroyed);
        Assert.InRange(statistics.Retained, 0, max);
        Assert.Equal(statistics.Retained, pool.Trim());
        Assert.Equal(0, pool.GetStatistics().DestroyFailures);
    }
}
