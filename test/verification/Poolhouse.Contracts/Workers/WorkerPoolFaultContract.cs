using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Contracts.Workers;

/// <summary>
/// The guarantees of every worker pool under faults of the system: threads that cannot be started, and a clock that jumps. Each
/// fault is injected at every possible moment: at the first one in the first run, at the second one in the next, and so on.
/// </summary>
/// <typeparam name="TState">The type of the state.</typeparam>
public abstract class WorkerPoolFaultContract<TState> : WorkerPoolTrial<TState>
    where TState : notnull
{
    private const int Workers = 3;
    private const int Items = 20;
    private const int MostMoments = 200;

    [Theory]
    [InlineData(typeof(OutOfMemoryException), 1)]
    [InlineData(typeof(ThreadStartException), 1)]
    [InlineData(typeof(OutOfMemoryException), 3)]
    public async Task Threads_that_cannot_be_started_lose_no_item_and_no_capacity(Type failure, int failures)
    {
        // Every pool starts at least one thread for each of its workers.
        for (var first = 1; first <= Workers; first++)
        {
            await StartAsync(failure, first, failures);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public async Task A_jump_of_the_clock_at_any_reading_loses_no_item_and_no_state(int direction)
    {
        var moment = 0;
        JumpingClock clock;
        do
        {
            clock = new JumpingClock(new ManualTimeProvider(), ++moment, direction * TimeSpan.FromHours(1));
            await LiveAsync(clock);
        }
        while (clock.HasJumped && moment < MostMoments);
        Assert.True(moment > 10, "The pool does not read the TimeProvider of its options.");
    }

    private async Task StartAsync(Type failure, int first, int failures)
    {
        var starts = 0;
        var options = Options(Workers);
        var start = options.StartThread;
        options.StartThread = (thread, worker) =>
        {
            var number = Interlocked.Increment(ref starts);
            if (number >= first && number < first + failures)
            {
                // A ThreadStartException cannot be created in any other way.
                throw (Exception)RuntimeHelpers.GetUninitializedObject(failure);
            }

            start(thread, worker);
        };
        var pool = Create(options);
        var runs = new int[Items];
        var posted = 0;
        using var all = new CountdownEvent(Workers);

        // They only end together, so the pool must have all of its workers in the end.
        var meeting = Enumerable.Range(0, Workers).Select(_ => pool.RunAsync(_ =>
        {
            all.Signal();
            Assert.True(all.Wait(Limit));
        }).AsTask()).ToList();
        var callers = Enumerable.Range(0, Items)
            .Select(item => pool.RunAsync(_ => Run(runs, item, fails: false), With(item, null)).AsTask()).ToList();
        for (var item = 0; item < Items; item++)
        {
            Assert.True(pool.TryPost((_, _) => Interlocked.Increment(ref posted), item));
        }

        await PassUntilAsync(Clock, Task.WhenAll([.. meeting, .. callers]));
        var closing = pool.DrainAsync();
        await PassUntilAsync(Clock, closing);

        Assert.All(meeting.Concat(callers), caller => Assert.True(caller.IsCompletedSuccessfully, caller.Exception?.ToString()));
        Assert.All(runs, count => Assert.Equal(1, count));
        Assert.Equal(Items, posted);
        Assert.Equal(failures, pool.GetStatistics().CreateFailures);
        AssertAtRest(pool);
    }

    /// <summary>A run of a pool in which every time limit is set, and some are reached.</summary>
    private async Task LiveAsync(JumpingClock clock)
    {
        var options = Options(2);
        options.TimeProvider = clock;
        options.RunTimeout = TimeSpan.FromSeconds(10);
        options.IdleTimeout = TimeSpan.FromMinutes(1);
        var pool = Create(options);
        var runs = new int[Items];
        using var open = new ManualResetEventSlim();
        using var cancellation = new CancellationTokenSource();
        var hanging = pool.RunAsync(_ => open.Wait(Limit * 10)).AsTask();
        var first = Enumerable.Range(0, Items / 2).Select(item => RunAsync(item)).ToList();
        await cancellation.CancelAsync();
        await PassUntilAsync(clock.Inner, Task.WhenAll([hanging, .. first]));
        open.Set();
        clock.Inner.Advance(options.IdleTimeout * 2);
        var second = Enumerable.Range(Items / 2, Items / 2).Select(item => RunAsync(item)).ToList();
        await PassUntilAsync(clock.Inner, Task.WhenAll(second));
        var closing = pool.DisposeAsync().AsTask();
        await PassUntilAsync(clock.Inner, closing);

        Assert.All(first.Concat(second).Index(), each => AssertRan(each.Item, runs[each.Index]));
        AssertAtRest(pool);

        Task RunAsync(int item) => pool.RunAsync(
            _ => Run(runs, item, fails: item % 7 == 3),
            With(item, TimeSpan.FromSeconds(30)),
            item % 7 == 5 ? cancellation.Token : CancellationToken.None).AsTask();
    }

    private static void AssertRan(Task caller, int runs)
    {
        var (least, most) = caller switch
        {
            { IsCompletedSuccessfully: true } => (1, 1),
            { Exception.InnerException: InvalidDataException } => (1, 1),

            // It exceeded its limit according to the clock that jumped.
            { Exception.InnerException: WorkTimeoutException { Phase: WorkPhase.Run } } => (0, 1),
            _ => (0, 0),
        };
        Assert.True(
            runs >= least && runs <= most,
            $"An item ran {runs} times; its caller: {caller.Status} {caller.Exception?.InnerException?.Message}");
    }

    /// <summary>Moves the clock, in ever longer steps, until the callers are answered.</summary>
    private async Task PassUntilAsync(ManualTimeProvider clock, Task answer)
    {
        var step = TimeSpan.FromSeconds(1);
        var began = Stopwatch.GetTimestamp();
        while (!answer.IsCompleted)
        {
            Assert.True(Stopwatch.GetElapsedTime(began) < Limit, "A caller was not answered.");
            clock.Advance(step);
            step = step < TimeSpan.FromHours(1) ? step * 2 : step;
            await Task.WhenAny(answer, Task.Delay(TimeSpan.FromMilliseconds(1), TimeProvider.System));
        }
    }

    /// <summary>
    /// Jumps once, after the given number of readings. Timers that are due then fire late, as after a suspension of the machine.
    /// </summary>
    private sealed class JumpingClock(ManualTimeProvider inner, int moment, TimeSpan jump) : TimeProvider
    {
        private int _readings;

        public ManualTimeProvider Inner => inner;

        public bool HasJumped => Volatile.Read(ref _readings) >= moment;

        public override long TimestampFrequency => inner.TimestampFrequency;

        public override long GetTimestamp() => Read() ? inner.GetTimestamp() + jump.Ticks : inner.GetTimestamp();

        public override DateTimeOffset GetUtcNow() => Read() ? inner.GetUtcNow() + jump : inner.GetUtcNow();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            inner.CreateTimer(callback, state, dueTime, period);

        private bool Read() => Interlocked.Increment(ref _readings) >= moment;
    }
}
