using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// Work that cannot be queued for lack of memory is queued later: whenever that happens, no capacity, no item and no caller is
/// lost (I3, I5).
/// </summary>
public sealed class OutOfMemory
{
    private const int MostPosts = 200;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(8)]
    public void Nothing_is_lost_when_any_work_item_cannot_be_queued(int inARow)
    {
        var first = 0;
        Workbench bench;
        do
        {
            first++;
            bench = NewBench();
            bench.Work.LacksMemory = post => post >= first && post < first + inARow;
            Live(bench);
        }
        while (bench.Work.Posts >= first && first < MostPosts);
        Assert.InRange(first, 20, MostPosts - 1);
    }

    [Fact]
    public void Nothing_is_lost_when_a_time_limit_cannot_be_set_at_the_start_of_a_hook()
    {
        var first = 0;
        ScarceClock clock;
        do
        {
            first++;
            clock = new ScarceClock(first);
            var bench = NewBench(clock.Disguise);
            clock.Work = bench.Work;
            Live(bench);
        }
        while (clock.Starts >= first && first < MostPosts);
        Assert.InRange(first, 10, MostPosts - 1);
    }

    [Fact]
    public void A_cancellable_caller_is_served_although_its_wake_up_cannot_be_queued()
    {
        for (var first = 1; first < 20; first++)
        {
            var bench = NewBench();
            bench.Fill(2);
            var held = bench.Rent(2);
            using var cancellation = new CancellationTokenSource();
            var cancelled = bench.RequestAsync(cancellation.Token);
            var waiting = bench.RequestAsync(Workbench.Seconds(30), new CancellationTokenSource().Token);
            var posts = bench.Work.Posts;
            bench.Work.LacksMemory = post => post == posts + first;
            cancellation.Cancel();
            held[0].Dispose();
            bench.Advance(1);

            Assert.True(cancelled.IsCanceled, "The cancelled caller was not notified.");
            Assert.True(waiting.IsCompletedSuccessfully, "The caller behind it was not served.");
            bench.Return(LeaseOf(waiting), held[1]);
            bench.Advance(1);
            End(bench);
        }
    }

    [Fact]
    public async Task A_caller_times_out_in_time_although_its_creation_cannot_be_queued()
    {
        var bench = NewBench();
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(60);
        bench.Work.LacksMemory = static _ => true;
        var waiting = bench.RequestAsync(Workbench.Seconds(1));
        bench.Work.LacksMemory = static _ => false;
        bench.Advance(1);

        Assert.True(waiting.IsCompleted, "The caller still waits.");
        await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        bench.Advance(60);
        End(bench);
    }

    [Fact]
    public async Task A_waiter_of_a_pool_that_is_disposed_is_woken_although_its_wake_up_cannot_be_queued_at_first()
    {
        var bench = NewBench();
        bench.Policy.Creates = static _ => throw new IOException();
        var waiting = bench.RequestAsync(Timeout.InfiniteTimeSpan);
        bench.Run();
        Assert.Equal((0, 1), (bench.Now.Live, bench.Now.Waiting));

        bench.Work.LacksMemory = static _ => true;
        bench.Pool.Dispose();
        bench.Work.LacksMemory = static _ => false;
        bench.Advance(3);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
    }

    [Fact]
    public void All_abandoned_creations_are_ended_and_reported_although_memory_is_short_at_the_end_of_each()
    {
        var bench = NewBench();
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Policy.Creates = static _ => new ValueTask<Part>(new TaskCompletionSource<Part>().Task);
        var ended = 0;
        bench.Policy.CreateAbandoned = () =>
        {
            ended++;
            throw new InsufficientMemoryException("There is no memory for another object.");
        };
        _ = bench.Pool.WarmUpAsync(2);
        bench.Run();
        Assert.Equal(2, bench.Now.Creating);

        bench.Clock.Advance(Workbench.Seconds(2));

        Assert.Equal((2, 2), (ended, recorder.Of<ItemCreateFailedArgs>().Count));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stale_item_is_kept_if_there_is_not_enough_memory_for_its_caller_to_wait(bool blocks)
    {
        var clock = new FailingClock();
        var bench = NewBench(clock.Disguise);
        bench.Fill(1);
        bench.Advance(5);

        // The first reading inspects the item; the second belongs to the wait.
        clock.FailAt(2);
        await Assert.ThrowsAsync<InsufficientMemoryException>(() => blocks
            ? Background.Start(() => bench.Pool.Rent()).WaitAsync(Background.Limit)
            : bench.RequestAsync());
        bench.Run();

        Assert.Equal((1, 1), (bench.Now.Live, bench.Now.Idle));
        End(bench);
    }

    [Fact]
    public void A_creation_can_be_abandoned_although_there_was_not_enough_memory_for_its_token()
    {
        var bench = NewBench();
        bench.Policy.Creates = _ =>
        {
            Fields<Part>.Cancellation((PolicyCall<Part>)bench.Work.Running!) = null;
            bench.Policy.Creates = null;
            return new ValueTask<Part>(new TaskCompletionSource<Part>().Task);
        };
        var request = bench.RequestAsync();
        bench.Advance(3);

        Assert.Equal(1, bench.Now.Abandoned);
        Return(bench, request, static lease => lease.Dispose());
        End(bench);
    }

    private static Workbench NewBench(Func<TimeProvider, TimeProvider>? disguise = null)
    {
        // Continuations run inline on this thread, so that the n-th work item is the same in each run.
        SynchronizationContext.SetSynchronizationContext(null);
        var bench = new Workbench(maxSize: 2) { Disguise = disguise };
        bench.Policy.Resets = static (part, _) => new ValueTask<bool>(part.Number > 0);
        bench.Policy.Validates = static (_, _, _) => new ValueTask<bool>(true);
        bench.Policy.ProvesClean = static (_, _) => new ValueTask<bool>(true);
        bench.Policy.KeepsAlive = static (_, _) => default;
        bench.Options.KeepAliveInterval = Workbench.Seconds(60);
        bench.Options.IdleTimeout = Workbench.Seconds(200);
        bench.Options.CreateTimeout = Workbench.Seconds(2);
        bench.Options.OutageTimeout = Timeout.InfiniteTimeSpan;
        bench.Options.DestroyTimeout = Workbench.Seconds(2);
        return bench;
    }

    /// <summary>
    /// A run of a pool in which every kind of work is queued: creations, checks, resets, destructions, wake-ups.
    /// </summary>
    private static void Live(Workbench bench)
    {
        var hanging = new List<TaskCompletionSource<Part>>();
        bench.Policy.Creates = _ =>
        {
            hanging.Add(new TaskCompletionSource<Part>());
            return new ValueTask<Part>(hanging[^1].Task);
        };
        var requests = Enumerable.Range(0, 4).Select(_ => bench.RequestAsync()).ToList();
        bench.Advance(3);
        bench.Policy.Creates = null;
        hanging.ForEach(creation => creation.SetResult(bench.Policy.New()));
        foreach (var each in requests)
        {
            Return(bench, each, static lease => lease.Dispose());
        }

        Return(bench, bench.RequestAsync(), static lease => lease.Taint());
        Return(bench, bench.RequestAsync(), static lease => lease.Discard());
        bench.Advance(70);
        Return(bench, bench.RequestAsync(), static lease => lease.Dispose());
        bench.Pool.Clear();
        bench.Advance(10);
        Return(bench, bench.RequestAsync(), static lease => lease.Dispose());
        bench.Advance(300);
        End(bench);
    }

    private static void Return(Workbench bench, Task<Lease<Part>> request, Action<Lease<Part>> end)
    {
        bench.Advance(3);
        Assert.True(request.IsCompletedSuccessfully, "A caller was not served.");
        var lease = LeaseOf(request);
        end(lease);
        lease.Dispose();
        bench.Advance(3);
    }

    /// <summary>All of the capacity can be rented, and what was created is destroyed once.</summary>
    private static void End(Workbench bench)
    {
        bench.Advance(3);
        Assert.Equal(
            (0L, 0, 0, 0, 0, 0), (bench.Now.Leased, bench.Now.Creating, bench.Now.Validating, bench.Now.Resetting,
                bench.Now.Destroying, bench.Now.Waiting));
        var all = new[] { bench.RequestAsync(), bench.RequestAsync() };
        bench.Advance(3);
        Assert.All(all, request => Assert.True(request.IsCompletedSuccessfully, "Capacity is lost."));
        bench.Return(LeaseOf(all[0]), LeaseOf(all[1]));
        var ended = bench.Pool.DisposeAsync().AsTask();
        bench.Advance(10);
        Background.Until(() => ended.IsCompleted);
        Assert.Equal(
            bench.Policy.Created.Select(static part => part.Number),
            bench.Policy.Destroyed.Select(static destroyed => destroyed.Part.Number).Order());
        bench.AssertBalanced();
    }

    /// <summary>The lease of a wait that has ended.</summary>
    private static Lease<Part> LeaseOf(Task<Lease<Part>> request) => request.Result;

    private static class Fields<T>
        where T : notnull
    {
        [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_cancellation")]
        public static extern ref CancellationTokenSource? Cancellation(PolicyCall<T> call);
    }

    /// <summary>Memory is short once: at the n-th start of a hook, which reads the clock first to set its time limit.</summary>
    private sealed class ScarceClock(int first) : TimeProvider
    {
        private TimeProvider _inner = System;
        private int _begun;

        public ManualScheduler? Work { get; set; }

        public int Starts { get; private set; }

        public override long TimestampFrequency => _inner.TimestampFrequency;

        public ScarceClock Disguise(TimeProvider inner)
        {
            _inner = inner;
            return this;
        }

        public override long GetTimestamp() => IsStart() && ++Starts == first
            ? throw new InsufficientMemoryException("There is no memory for another object.")
            : _inner.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            _inner.CreateTimer(callback, state, dueTime, period);

        private bool IsStart()
        {
            if (Work is not { Running: PolicyCall<Part> } work || work.Begun == _begun)
            {
                return false;
            }

            _begun = work.Begun;
            return true;
        }
    }

    /// <summary>Memory is short once: at the n-th of the following readings.</summary>
    private sealed class FailingClock : TimeProvider
    {
        private TimeProvider _inner = System;
        private int _left;

        public override long TimestampFrequency => _inner.TimestampFrequency;

        public FailingClock Disguise(TimeProvider inner)
        {
            _inner = inner;
            return this;
        }

        public void FailAt(int reading) => _left = reading;

        public override long GetTimestamp() => _left > 0 && --_left == 0
            ? throw new InsufficientMemoryException("There is no memory for another object.")
            : _inner.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            _inner.CreateTimer(callback, state, dueTime, period);
    }
}
