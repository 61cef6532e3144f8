using Poolhouse.Kernel;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Engine;

/// <summary>Thread.Interrupt ends a synchronous wait, and nothing else: no item and no capacity is lost (I3, I6).</summary>
public sealed class InterruptedRents
{
    [Fact]
    public void An_interrupted_wait_leaves_the_queue()
    {
        using var pool = NewPool();
        var held = pool.Rent();
        var renter = Interruptible.Start(() => pool.Rent(Background.Limit));
        Background.Until(() => pool.GetStatistics().Waiting == 1);
        renter.AwaitBlocked();
        renter.Interrupt();
        renter.Join();

        Assert.IsType<ThreadInterruptedException>(renter.Failure);
        Assert.Equal((0, 1), (pool.GetStatistics().Waiting, pool.GetStatistics().Cancellations));
        held.Dispose();
        Assert.True(pool.TryRent(out var lease));
        lease.Dispose();
    }

    [Fact]
    public void An_interrupt_that_hits_the_observer_is_left_for_the_next_wait()
    {
        using var gate = new ManualResetEvent(initialState: true);
        var observer = new SlowObserver(gate);
        using var pool = new ResourcePool<object>(
            ResourcePolicy.Create(static _ => new ValueTask<object>(new object())),
            new ResourcePoolOptions { MaxSize = 1, Observer = observer });
        var held = pool.Rent();
        gate.Reset();
        observer.Calls = 0;
        var renter = Interruptible.Start(() => pool.Rent(Background.Limit).Dispose());
        Background.Until(() => pool.GetStatistics().Waiting == 1);
        held.Dispose();
        Background.Until(() => observer.Calls == 1);
        renter.AwaitBlocked();
        renter.Interrupt();
        renter.Join();
        gate.Set();

        Assert.Null(renter.Failure);
        Assert.True(renter.WasStillPending);
    }

    [Fact]
    public Task No_interrupt_is_left_for_a_thread_of_the_thread_pool() => Task.Run(static () =>
    {
        UserCode.Notify(0, 0, static (_, _) => throw new ThreadInterruptedException());

        // Throws if an interrupt is pending. It would otherwise hit any other work.
        Thread.CurrentThread.Join(0);
    });

    [Fact]
    public void An_interrupt_that_hits_a_hook_of_the_policy_is_left_for_the_next_wait()
    {
        using var gate = new ManualResetEvent(initialState: true);
        using var pool = new ResourcePool<object>(new SlowPolicy(gate), new ResourcePoolOptions { MaxSize = 1 });
        var lease = pool.Rent();
        gate.Reset();
        var returner = Interruptible.Start(() => lease.Dispose());
        returner.AwaitBlocked();
        returner.Interrupt();
        returner.Join();
        gate.Set();

        Assert.Null(returner.Failure);
        Assert.True(returner.WasStillPending);
        Background.Until(() => pool.GetStatistics().DestroyedFor(DestroyReason.Broken) == 1);
    }

    [Fact]
    public void Many_interrupts_lose_no_item()
    {
        using var pool = NewPool(maxSize: 2);
        var stop = 0;
        var renters = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            while (Volatile.Read(ref stop) == 0)
            {
                try
                {
                    using var lease = pool.Rent(Background.Limit);
                    Thread.Yield();
                }
                catch (ThreadInterruptedException)
                {
                    // The next round follows.
                }
            }
        })
        { IsBackground = true }).ToList();
        renters.ForEach(renter => renter.Start());
        for (var i = 0; i < 20_000; i++)
        {
            renters[i % renters.Count].Interrupt();
        }

        Volatile.Write(ref stop, 1);
        Assert.All(renters, renter => Assert.True(renter.Join(Background.Limit), "A renting thread did not end."));
        Background.Until(() => pool.GetStatistics() is { Waiting: 0, Leased: 0 } now && now.Idle == now.Live);
        pool.Rent(Background.Limit).Dispose();
    }

    [Fact]
    public void An_interrupted_wait_for_a_shared_item_releases_its_use()
    {
        var created = new TaskCompletionSource<Part>();
        using var creating = new ManualResetEventSlim();
        var policy = new ScriptedPolicy
        {
            Creates = _ =>
            {
                creating.Set();
                return new ValueTask<Part>(created.Task);
            },
        };
        using var pool = new SharedResourcePool<Part>(
            policy, new SharedResourcePoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, MaxUsesPerItem = 1 });
        var renter = Interruptible.Start(() => pool.Rent(Background.Limit));

        // It has its use by now: a caller that is interrupted at the moment when it gets the use counts as served.
        Assert.True(creating.Wait(Background.Limit));
        Background.Until(() => pool.GetStatistics().Waiting == 1);
        renter.AwaitBlocked();
        renter.Interrupt();
        renter.Join();

        Assert.IsType<ThreadInterruptedException>(renter.Failure);
        Assert.Equal(1, pool.GetStatistics().Cancellations);
        created.SetResult(policy.New());
        pool.Rent(Background.Limit).Dispose();
        Assert.Equal((0, 0L), (pool.GetStatistics().Waiting, pool.GetStatistics().Leased));
    }

    [Fact]
    public async Task A_use_that_was_given_to_a_caller_whose_wait_is_interrupted_ends()
    {
        var clock = new ManualTimeProvider();
        var scheduler = new WatchedScheduler();
        using var pool = new SharedResourcePool<Part>(
            new ScriptedPolicy(),
            new SharedResourcePoolOptions
            {
                MaxUsesPerItem = 1,
                Pool = new ResourcePoolOptions
                {
                    MaxSize = 1,
                    TimeProvider = new ClockWithoutTimers(clock),
                    Scheduler = scheduler,
                },
            });
        var held = pool.Rent();
        var late = pool.RentAsync(TimeSpan.FromSeconds(1)).AsTask();
        var renter = Interruptible.Start(() => pool.Rent(Timeout.InfiniteTimeSpan));
        Background.Until(() => pool.GetStatistics().Waiting == 2);
        clock.Advance(TimeSpan.FromSeconds(2));

        // The use is given to the blocked caller, but the caller that is late is notified first.
        scheduler.Posting = () =>
        {
            renter.Interrupt();
            renter.Join();
        };
        held.Dispose();

        Assert.IsType<ThreadInterruptedException>(renter.Failure);
        await Assert.ThrowsAsync<PoolTimeoutException>(() => late.WaitAsync(Background.Limit));
        Assert.Equal([0], pool.GetUses());
        Assert.True(pool.TryRent(out var next));
        next.Dispose();
    }

    [Fact]
    public void A_return_interrupted_at_a_lock_returns_the_item()
    {
        using var pool = NewPool();
        var lease = pool.Rent();
        var returner = Interruptible.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            lease.Dispose();
        });
        returner.Join();

        Assert.Null(returner.Failure);
        Assert.True(returner.WasStillPending);
        Assert.True(pool.TryRent(out var again));
        again.Dispose();
    }

    [Fact]
    public async Task A_detach_interrupted_while_it_closes_a_drained_pool_returns_the_item()
    {
        // What follows the drain runs on the thread that ends it, and does not dispose of the timer before.
        var work = new ManualScheduler { RunsContinuations = true };
        using var pool = new ResourcePool<Part>(
            new ScriptedPolicy(),
            new ResourcePoolOptions { MaxSize = 1, TimeProvider = new InterruptingClock(), Scheduler = work });
        var renting = pool.RentAsync().AsTask();
        work.Run();
        var lease = await renting.WaitAsync(Background.Limit);
        var drained = pool.DrainAsync();
        Part? detached = null;
        var owner = Interruptible.Start(() => detached = lease.Detach());
        owner.Join();

        Assert.Null(owner.Failure);
        Assert.True(owner.WasStillPending);
        Assert.NotNull(detached);
        Background.Until(() => drained.IsCompletedSuccessfully);
    }

    private static ResourcePool<Part> NewPool(int maxSize = 1) =>
        new(new ScriptedPolicy(), new ResourcePoolOptions { MaxSize = maxSize });

    /// <summary>A policy whose check waits for an event.</summary>
    private sealed class SlowObserver(ManualResetEvent gate) : ResourcePoolObserver
    {
        private int _calls;

        public int Calls
        {
            get => Volatile.Read(ref _calls);
            set => Volatile.Write(ref _calls, value);
        }

        public override void OnWaitEnded(in WaitEndedArgs ended)
        {
            Calls++;
            gate.WaitOne();
        }
    }

    private sealed class SlowPolicy(WaitHandle gate) : ResourcePolicy<object>
    {
        public override ValueTask<object> CreateAsync(CancellationToken cancellationToken) => new(new object());

        public override bool IsBroken(object item) => !gate.WaitOne();
    }

    /// <summary>The thread pool, and what a test does before the next post.</summary>
    private sealed class WatchedScheduler : WorkScheduler
    {
        public Action? Posting { get; set; }

        public override void Post(IThreadPoolWorkItem work)
        {
            var posting = Posting;
            Posting = null;
            posting?.Invoke();
            ThreadPool.Post(work);
        }

        public override void PostToOwnThread(IThreadPoolWorkItem work) => ThreadPool.PostToOwnThread(work);
    }
}
