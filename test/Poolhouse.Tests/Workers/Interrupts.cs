using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>
/// <see cref="Thread.Interrupt"/> ends a wait of the code that it is meant for. It never costs a worker, an item, a wake-up or
/// the process.
/// </summary>
public sealed class Interrupts
{
    [Fact]
    public void An_item_may_interrupt_its_own_thread()
    {
        using var bench = new WorkerBench();

        var thread = bench.Pool.Run(static _ => InterruptSelf());

        bench.UntilParked();
        Assert.Same(thread, bench.Pool.Run(static _ => Thread.CurrentThread));
    }

    [Fact]
    public async Task A_pending_interrupt_of_an_item_does_not_reach_the_next_item()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var first = bench.GetAsync(static _ => InterruptSelf());
        var second = bench.GetAsync(static _ => Wait());
        var another = bench.GetAsync(static _ => InterruptSelf());
        bench.Pool.TryPost(static (_, _) => Wait(), string.Empty);
        bench.Pool.TryPost(static (_, _) => InterruptSelf(), string.Empty);
        bench.Pool.TryPost(static (_, _) => InterruptSelf(), string.Empty);
        var third = bench.GetAsync(static _ => Wait());

        await block.ReleaseAsync();

        await first.WaitAsync(Background.Limit);
        Assert.True(await second.WaitAsync(Background.Limit));
        await another.WaitAsync(Background.Limit);
        Assert.True(await third.WaitAsync(Background.Limit));
        Assert.Equal(0, bench.Now.Failed);
    }

    [Fact]
    public async Task A_pending_interrupt_of_an_item_does_not_reach_a_broadcast()
    {
        using var bench = new WorkerBench();
        var work = new BlockingWork();
        var item = bench.RunAsync(_ =>
        {
            work.Block();
            InterruptSelf();
        });
        work.WaitUntilStarted();
        var broadcast = bench.Pool.BroadcastAsync(static _ => Assert.True(Wait()));

        work.Release();

        await item.WaitAsync(Background.Limit);
        Assert.Equal(1, await broadcast.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_pending_interrupt_of_an_item_does_not_reach_a_continuation_of_an_earlier_one()
    {
        using var bench = new WorkerBench();
        var go = new TaskCompletionSource();
        var left = Task.FromResult(false);
        await bench.Pool.RunAsync(async _ =>
        {
            left = WaitLaterAsync();
            await Task.Yield();
        }).AsTask().WaitAsync(Background.Limit);

        await bench.RunAsync(_ =>
        {
            go.SetResult();
            InterruptSelf();
        }).WaitAsync(Background.Limit);

        Assert.True(await left.WaitAsync(Background.Limit));

        async Task<bool> WaitLaterAsync()
        {
            await go.Task;
            return Wait();
        }
    }

    [Fact]
    public void An_interrupted_idle_worker_stays_idle()
    {
        using var bench = new WorkerBench();
        var thread = bench.Pool.Run(static _ => Thread.CurrentThread);
        bench.UntilParked();

        for (var i = 0; i < 100; i++)
        {
            thread.Interrupt();
        }

        Assert.Same(thread, bench.Pool.Run(static _ => Thread.CurrentThread));
        Assert.Equal((1, 0), (bench.Now.Workers, bench.Now.Failed));
    }

    [Fact]
    public async Task An_interrupt_does_not_affect_a_worker_waiting_for_its_asynchronous_item()
    {
        using var bench = new WorkerBench();
        var ended = new TaskCompletionSource();
        var begun = new TaskCompletionSource<Thread>(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.Pool.RunAsync(async _ =>
        {
            begun.SetResult(Thread.CurrentThread);
            await ended.Task;
            return Thread.CurrentThread;
        }).AsTask();
        var thread = await begun.Task.WaitAsync(Background.Limit);

        thread.Interrupt();
        ended.SetResult();

        Assert.Same(thread, await item.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task An_item_whose_own_wait_is_interrupted_fails()
    {
        using var bench = new WorkerBench();
        var waiting = new TaskCompletionSource<Thread>(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.RunAsync(_ =>
        {
            using var never = new ManualResetEvent(initialState: false);
            waiting.SetResult(Thread.CurrentThread);
            never.WaitOne();
        });
        (await waiting.Task.WaitAsync(Background.Limit)).Interrupt();

        await Assert.ThrowsAsync<ThreadInterruptedException>(() => item.WaitAsync(Background.Limit));

        Assert.Equal(1, bench.Use().Number);
        Assert.Equal((1, 1), (bench.Now.Workers, bench.Now.Failed));
    }

    [Fact]
    public async Task Interrupting_a_blocked_caller_cancels_its_queued_item()
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        var block = bench.Block();
        var runs = 0;
        var caller = new TaskCompletionSource<Thread>(TaskCreationOptions.RunContinuationsAsynchronously);
        var blocked = Background.Start(() =>
        {
            caller.SetResult(Thread.CurrentThread);
            Assert.Throws<ThreadInterruptedException>(
                () => bench.Pool.Run(_ => Interlocked.Increment(ref runs), default, cancelling.Token));
            return true;
        });
        var thread = await caller.Task.WaitAsync(Background.Limit);
        Background.Until(() => bench.Now.Waiting == 1);

        thread.Interrupt();

        Assert.True(await blocked.WaitAsync(Background.Limit));
        Assert.Equal((0, 1), (bench.Now.Waiting, bench.Now.Cancellations));
        await block.ReleaseAsync();
        bench.Use();
        Assert.Equal(0, runs);
    }

    [Fact]
    public async Task Interrupting_a_blocked_caller_lets_its_running_item_complete()
    {
        using var bench = new WorkerBench();
        var work = new BlockingWork();
        var caller = new TaskCompletionSource<Thread>(TaskCreationOptions.RunContinuationsAsynchronously);
        var blocked = Background.Start(() =>
        {
            caller.SetResult(Thread.CurrentThread);
            Assert.Throws<ThreadInterruptedException>(() => bench.Pool.Run(_ => work.Block()));
            return true;
        });
        var thread = await caller.Task.WaitAsync(Background.Limit);
        work.WaitUntilStarted();

        thread.Interrupt();

        Assert.True(await blocked.WaitAsync(Background.Limit));
        work.Release();
        Assert.Equal(0, bench.Use().Number);
        Assert.Equal((2, 2, 0), (bench.Now.Rented, bench.Now.Returned, bench.Now.Failed));
    }

    [Fact]
    public async Task A_policy_that_interrupts_its_thread_affects_nothing_else()
    {
        using var bench = new WorkerBench();
        bench.Options.MaxItemsPerState = 1;
        bench.Policy.Creating = static () => InterruptSelf();
        bench.Policy.Destroying = static _ => InterruptSelf();

        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(i, bench.Use().Number);
        }

        await bench.Pool.DisposeAsync();
        Assert.All(bench.Policy.Created, static tool => Assert.Equal(1, tool.Destructions));
    }

    /// <summary>
    /// Each kind of item, with keys, limits and a bounded queue, while callers and workers are interrupted all the time.
    /// </summary>
    [Fact]
    public void Many_interrupts_lose_nothing()
    {
        const int Callers = 3;
        const int Rounds = 3_000;
        using var bench = new WorkerBench(2);
        bench.Options.TimeProvider = TimeProvider.System;
        bench.Options.QueueCapacity = 16;
        var (ran, accepted) = (0, 0);
        var threads = new HashSet<Thread>();
        var isOver = false;
        var interrupter = new Thread(() =>
        {
            var random = new Random(1);
            while (!Volatile.Read(ref isOver))
            {
                lock (threads)
                {
                    threads.RemoveWhere(static thread => !thread.IsAlive);
                    foreach (var thread in threads)
                    {
                        thread.Interrupt();
                    }
                }

                Thread.SpinWait(random.Next(20_000));
            }
        })
        { IsBackground = true };
        interrupter.Start();
        Threads.Run(Callers, number =>
        {
            Expose();
            var random = new Random(number);
            for (var round = 0; round < Rounds; round++)
            {
                var options = random.Next(3) switch
                {
                    0 => default,
                    1 => new WorkOptions { Key = random.Next(3) },
                    _ => new WorkOptions { RunTimeout = TimeSpan.FromMinutes(5), QueueTimeout = TimeSpan.FromMinutes(5) },
                };
                try
                {
                    if (random.Next(2) == 0)
                    {
                        bench.Pool.Run(_ => Work(), options);
                        Interlocked.Increment(ref accepted);
                    }
                    else if (bench.Pool.TryPost((_, _) => Work(), string.Empty, options))
                    {
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ThreadInterruptedException)
                {
                    // The caller's own wait: the item may or may not run.
                }
            }

            Hide();
        });

        Volatile.Write(ref isOver, true);
        interrupter.Join();
        Background.Until(() => bench.Now.Waiting == 0 && bench.Now.Leased == 0);
        Background.Until(() => bench.Pool.Workers.Parked == bench.Now.Workers);
        Assert.Equal(0, bench.Now.Failed);
        Assert.InRange(ran, accepted, Callers * Rounds);
        Assert.NotNull(bench.Use());
        Assert.InRange(bench.Now.Workers, 1, 2);

        void Work()
        {
            Expose();
            Interlocked.Increment(ref ran);
        }

        void Expose() => WithThreads(static threads => threads.Add(Thread.CurrentThread));

        void Hide() => WithThreads(static threads => threads.Remove(Thread.CurrentThread));

        void WithThreads(Action<HashSet<Thread>> action)
        {
            // An interrupt may come here, too.
            for (var isDone = false; !isDone;)
            {
                try
                {
                    lock (threads)
                    {
                        action(threads);
                        isDone = true;
                    }
                }
                catch (ThreadInterruptedException)
                {
                    // From the thread that interrupts.
                }
            }
        }
    }

    private static Thread InterruptSelf()
    {
        Thread.CurrentThread.Interrupt();
        return Thread.CurrentThread;
    }

    /// <summary>A wait that an interrupt would end.</summary>
    private static bool Wait()
    {
        using var set = new ManualResetEvent(initialState: true);
        return set.WaitOne();
    }
}
