using Poolhouse.Servers;


namespace Poolhouse.Tests.Resources;

/// <summary>Alone, because it takes all threads of the thread pool.</summary>
[Collection(nameof(Alone))]
public sealed class SynchronousRenting
{
    [Fact]
    public void With_a_synchronous_create_callers_make_progress_although_every_thread_pool_thread_is_blocked()
    {
        var policy = new ScriptedPolicy();
        policy.CreatesSynchronously = _ => policy.New();
        policy.Resets = (_, _) => new ValueTask<bool>(result: true);
        var pool = new ResourcePool<Part>(policy, new ResourcePoolOptions { MaxSize = 2 });
        var rents = 0;
        WhileStarved(() => Threads.Run(4, _ =>
        {
            for (var i = 0; i < 5; i++)
            {
                using var lease = pool.Rent(Background.Limit);
                Interlocked.Increment(ref rents);
            }
        }));

        Assert.Equal(20, rents);
        Assert.InRange(pool.GetStatistics().PeakLive, 1, 2);
        pool.Dispose();
    }

    [Fact]
    public void A_deadline_holds_although_every_thread_pool_thread_is_blocked()
    {
        using var pool = new ResourcePool<Part>(new ScriptedPolicy(), new ResourcePoolOptions { MaxSize = 1 });
        var held = pool.Rent();
        WhileStarved(() => Assert.Throws<PoolTimeoutException>(() => pool.Rent(TimeSpan.FromMilliseconds(100))));
        held.Dispose();
    }

    [Fact]
    public void A_shared_pool_serves_callers_although_every_thread_pool_thread_is_blocked()
    {
        var policy = new ScriptedPolicy();
        policy.CreatesSynchronously = _ => policy.New();
        using var pool = NewSharedPool(policy);
        WhileStarved(() => pool.Rent(Background.Limit).Dispose());
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public void A_deadline_of_a_shared_pool_holds_although_every_thread_pool_thread_is_blocked()
    {
        var policy = new ScriptedPolicy { Creates = async token => await new TaskCompletionSource<Part>().Task.WaitAsync(token) };
        using var pool = NewSharedPool(policy);
        WhileStarved(() =>
        {
            var caller =
                Background.Start(() => Assert.Throws<PoolTimeoutException>(() => pool.Rent(TimeSpan.FromMilliseconds(100))));
            Assert.True(caller.Wait(Background.Limit), "The caller got no answer.");
        });
    }

    [Fact]
    public void A_creation_fails_over_to_the_next_server_although_every_thread_pool_thread_is_blocked()
    {
        var set = new ServerSet<string>(["A", "B"], new ServerSetOptions { AttemptTimeout = TimeSpan.FromMilliseconds(200) });
        using var release = new ManualResetEventSlim();
        WhileStarved(() =>
        {
            var creation = Background.Start(() => set.Create(
                (server, _) =>
                {
                    if (server is "A")
                    {
                        release.Wait(Background.Limit, CancellationToken.None);
                    }

                    return new Part(1);
                },
                Timeout.InfiniteTimeSpan));
            try
            {
                Assert.True(creation.Wait(Background.Limit / 2), "The attempt on the first server did not time out.");
                Assert.Equal("B", creation.Result.Server);
            }
            finally
            {
                release.Set();
            }
        });
    }

    [Fact]
    public void The_time_of_a_creation_ends_although_every_thread_pool_thread_is_blocked()
    {
        var set = new ServerSet<string>(["A", "B"], new ServerSetOptions { AttemptTimeout = TimeSpan.FromHours(1) });
        using var release = new ManualResetEventSlim();
        WhileStarved(() =>
        {
            var creation = Background.Start(() => Assert.Throws<TimeoutException>(() => set.Create(
                (_, _) =>
                {
                    release.Wait(Background.Limit, CancellationToken.None);
                    return new Part(1);
                },
                TimeSpan.FromMilliseconds(200))));
            try
            {
                Assert.True(creation.Wait(Background.Limit / 2), "The creation did not time out.");
            }
            finally
            {
                release.Set();
            }
        });
    }

    [Fact]
    public void A_thread_that_cannot_be_started_is_a_failed_creation()
    {
        var bench = new Workbench(2);
        bench.Policy.CreatesSynchronously = _ => bench.Policy.New();
        bench.Work.HasNoThreads = true;
        var blocked = Background.Start(() => bench.Pool.Rent(Timeout.InfiniteTimeSpan));
        Background.Until(() => bench.Now.Waiting == 1);
        Background.Until(() =>
        {
            bench.Run();
            return bench.Now is { CreateFailures: 1, Creating: 0, Live: 0 };
        });

        // Threads are back: the next attempt is served.
        bench.Work.HasNoThreads = false;
        Background.Until(() =>
        {
            bench.Advance(1);
            return blocked.IsCompleted;
        });
        bench.AssertBalanced();
        bench.Pool.Dispose();
    }

    [Fact]
    public void Items_for_synchronous_callers_are_created_on_dedicated_threads_and_others_are_not()
    {
        var bench = new Workbench(2);
        var synchronous = 0;
        bench.Policy.CreatesSynchronously = _ =>
        {
            synchronous++;
            return bench.Policy.New();
        };
        _ = bench.Rent();
        Assert.Equal((0, 0), (bench.Work.OwnThreads, synchronous));

        var blocked = Background.Start(() => bench.Pool.Rent());
        Background.Until(() =>
        {
            bench.Run();
            return blocked.IsCompleted;
        });

        Assert.Equal(1, synchronous);
    }

    private static SharedResourcePool<Part> NewSharedPool(ScriptedPolicy policy) =>
        new(policy, new SharedResourcePoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, MaxUsesPerItem = 2 });

    /// <summary>Runs the body while every thread of the thread pool is blocked and no new one is started soon.</summary>
    private static void WhileStarved(Action body)
    {
        ThreadPool.GetMinThreads(out var workers, out var ports);
        ThreadPool.GetMaxThreads(out var mostWorkers, out var mostPorts);
        using var release = new ManualResetEventSlim();
        var blocked = 0;

        // Threads that are busy now are blocked as soon as they are free; more work than there are threads stays in the
        // queue.
        var threads = Math.Max(workers, ThreadPool.ThreadCount + 8);
        var left = threads + 200;
        try
        {
            Assert.True(ThreadPool.SetMaxThreads(threads, mostPorts));
            Assert.True(ThreadPool.SetMinThreads(threads, ports));
            for (var i = left; i > 0; i--)
            {
                ThreadPool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        Interlocked.Increment(ref blocked);
                        release.Wait();
                        Interlocked.Decrement(ref left);
                    },
                    state: null);
            }

            Threads.RunAlone(
                () => Background.Until(() => Volatile.Read(ref blocked) >= 8 && ThreadPool.PendingWorkItemCount > 0));
            Threads.RunAlone(body);
        }
        finally
        {
            release.Set();
            ThreadPool.SetMinThreads(workers, ports);
            ThreadPool.SetMaxThreads(mostWorkers, mostPorts);
            Background.Until(() => Volatile.Read(ref left) == 0);
        }
    }
}
