using System.Collections.Concurrent;
using Poolhouse.Workers;

namespace Poolhouse.Contracts.Workers;

/// <summary>
/// The guarantees of every worker pool: an item runs at most once, every caller gets one outcome, on time, and no queued item
/// is lost silently. All checks run for each kind of pool.
/// </summary>
/// <typeparam name="TState">The type of the state.</typeparam>
// The clock is manual. Instead of taking real time, the hook, item or observer of a check blocks until a signal.
public abstract class WorkerPoolContract<TState> : WorkerPoolFaultContract<TState>
    where TState : notnull
{
    private const int Items = 300;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task Each_item_runs_at_most_once_and_each_caller_gets_one_outcome(int seed)
    {
        var random = new Random(seed);
        var pool = Create(Options(workers: 3));
        var runs = new int[Items];
        var callers = new Task[Items];
        using var cancellation = new CancellationTokenSource();
        for (var number = 0; number < Items; number++)
        {
            var item = number;
            var fails = random.Next(5) == 0;
            TimeSpan? queueTimeout = random.Next(3) == 0 ? TimeSpan.FromMilliseconds(random.Next(1, 50)) : null;
            callers[item] = pool.RunAsync(
                _ => Run(runs, item, fails),
                With(item, queueTimeout),
                random.Next(3) == 0 ? cancellation.Token : CancellationToken.None).AsTask();
            switch (random.Next(30))
            {
                case 0:
                    // A jump of the clock only lets a deadline pass.
                    Clock.Advance(TimeSpan.FromMilliseconds(random.Next(100_000)));
                    break;
                case 1:
                    pool.Clear();
                    break;
                case 2:
                    pool.Trim();
                    break;
                case 3:
                    pool.Resize(random.Next(1, 5));
                    break;
                case 4:
                    GC.Collect();
                    break;
                case 5 when item > Items / 2:
                    await cancellation.CancelAsync();
                    break;
            }
        }

        var closing = random.Next(2) == 0 ? pool.DisposeAsync().AsTask() : pool.DrainAsync();
        await AnsweredAsync(callers);
        await closing.WaitAsync(Limit);

        for (var item = 0; item < Items; item++)
        {
            var expected = callers[item] is { IsCompletedSuccessfully: true } ? 1
                : callers[item].Exception?.InnerException is InvalidDataException ? 1
                : 0;
            Assert.True(runs[item] == expected, $"Item {item} ran {runs[item]} times; its caller: {callers[item].Status}.");
        }

        AssertAtRest(pool);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task Items_of_one_key_run_one_at_a_time_and_in_order(int seed)
    {
        await using var pool = Create(Options(workers: 4));
        var order = new ConcurrentDictionary<object, List<int>>();
        var running = new ConcurrentDictionary<object, int>();
        var overlaps = 0;
        using var cancellation = new CancellationTokenSource();
        var callers = Enumerable.Range(0, Items).Select(item =>
        {
            var key = KeyOf(item + seed);
            return pool.RunAsync(
                _ =>
                {
                    if (key is null)
                    {
                        return;
                    }

                    if (running.AddOrUpdate(key, 1, static (_, count) => count + 1) > 1)
                    {
                        Interlocked.Increment(ref overlaps);
                    }

                    order.GetOrAdd(key, static _ => []).Add(item);
                    Thread.Yield();
                    running.AddOrUpdate(key, 0, static (_, count) => count - 1);
                    Run(new int[Items], item, fails: item % 17 == 0);
                },
                new WorkOptions { Key = key },
                item % 5 == 0 ? cancellation.Token : CancellationToken.None).AsTask();
        }).ToList();

        // Items that are dropped from the middle of their key do not delay those behind them.
        await cancellation.CancelAsync();
        await AnsweredAsync(callers);

        Assert.Equal(0, overlaps);
        Assert.All(order.Values, items => Assert.Equal(items.Order(), items));
    }

    [Fact]
    public async Task Deadlines_hold_while_every_worker_hangs()
    {
        await using var pool = Create(Options(workers: 2));
        using var open = new ManualResetEventSlim();
        var hanging = Enumerable.Range(0, 2).Select(_ => pool.RunAsync(_ => open.Wait(Limit)).AsTask()).ToList();
        Until(() => pool.GetStatistics().Leased == 2);
        var waiting = Enumerable.Range(0, 20)
            .Select(item => pool.RunAsync(_ => { }, With(item, TimeSpan.FromSeconds(1))).AsTask()).ToList();
        using var cancellation = new CancellationTokenSource();
        var cancelled = pool.RunAsync(_ => { }, With(1, null), cancellation.Token).AsTask();

        Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.DoesNotContain(waiting, caller => caller.IsCompleted);
        Clock.Advance(TimeSpan.FromMilliseconds(1));
        await AnsweredAsync(waiting);
        await cancellation.CancelAsync();
        await AnsweredAsync([cancelled]);

        Assert.All(waiting, caller => Assert.IsType<WorkTimeoutException>(caller.Exception!.InnerException));
        Assert.True(cancelled.IsCanceled);
        open.Set();
        await AnsweredAsync(hanging);
        Assert.All(hanging, caller => Assert.True(caller.IsCompletedSuccessfully));
    }

    [Fact]
    public async Task An_item_that_exceeds_RunTimeout_is_answered_and_its_worker_replaced()
    {
        var options = Options(workers: 1);
        options.RunTimeout = TimeSpan.FromSeconds(1);
        await using var pool = Create(options);
        using var open = new ManualResetEventSlim();
        using var begun = new ManualResetEventSlim();
        var hanging = pool.RunAsync(_ =>
        {
            begun.Set();
            open.Wait(Limit);
        }).AsTask();
        Assert.True(begun.Wait(Limit));
        var next = pool.RunAsync(_ => { }, With(1, null)).AsTask();

        // Once: the next item has the same limit.
        Clock.Advance(TimeSpan.FromSeconds(1));
        await AnsweredAsync([hanging, next]);
        open.Set();

        Assert.True(hanging.IsFaulted && next.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_shutdown_runs_or_reports_everything_that_was_queued()
    {
        var pool = Create(Options(workers: 1));
        using var open = new ManualResetEventSlim();
        var runs = new int[Items];
        var hanging = pool.RunAsync(_ => open.Wait(Limit)).AsTask();
        Until(() => pool.GetStatistics().Leased == 1);
        var callers = Enumerable.Range(0, Items)
            .Select(item => pool.RunAsync(_ => Run(runs, item, fails: false), With(item, null)).AsTask()).ToList();

        var stopping = pool.ShutDownAsync(TimeSpan.FromSeconds(5));
        await PassUntilAsync(() => stopping.IsCompleted, TimeSpan.FromSeconds(1));
        var report = await stopping;
        await AnsweredAsync(callers);

        Assert.Equal(Items, report.Dropped);
        Assert.Single(report.Abandoned);
        Assert.Equal(0, runs.Sum());
        Assert.All(callers, caller => Assert.False(caller.IsCompletedSuccessfully));
        open.Set();
        await AnsweredAsync([hanging]);
        Assert.Throws<ObjectDisposedException>(() => pool.TryPost(static (_, _) => { }, 0));
    }

    [Fact]
    public async Task A_disposal_answers_every_caller_while_others_post()
    {
        var pool = Create(Options(workers: 2));
        var runs = new int[Items];
        var callers = new ConcurrentBag<(int Item, Task Caller)>();
        var posting = Task.WhenAll(Enumerable.Range(0, 3).Select(first => Task.Run(() =>
        {
            for (var item = first; item < Items; item += 3)
            {
                var number = item;
                try
                {
                    callers.Add((number, pool.RunAsync(_ => Run(runs, number, fails: false), With(number, null)).AsTask()));
                }
                catch (ObjectDisposedException)
                {
                    return;
                }
            }
        })));
        Until(() => callers.Count > 20);

        await pool.DisposeAsync().AsTask().WaitAsync(Limit);
        await posting.WaitAsync(Limit);
        await AnsweredAsync(callers.Select(each => each.Caller));

        Assert.All(callers, each => Assert.Equal(each.Caller.IsCompletedSuccessfully ? 1 : 0, runs[each.Item]));
        AssertAtRest(pool);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_observer_that_throws_or_blocks_delays_no_other_item(bool blocks)
    {
        using var open = new ManualResetEventSlim(!blocks);
        using var observer = new HostileObserver(open, Limit);

        // Observers are called on the workers' threads: two are blocked by the items that fail.
        var options = Options(workers: 3);
        options.Observer = observer;
        await using var pool = Create(options);
        var failing = pool.RunAsync(static _ => throw new InvalidDataException(), With(0, null)).AsTask();
        Assert.True(pool.TryPost(static (_, _) => throw new InvalidDataException(), 0));
        Assert.True(observer.Called.Wait(Limit));
        var others = Enumerable.Range(1, 50)
            .Select(item => pool.RunAsync(_ => { }, new WorkOptions { QueueTimeout = Limit }).AsTask()).ToList();

        await AnsweredAsync([failing, .. others]);

        Assert.IsType<InvalidDataException>(failing.Exception!.InnerException);
        Assert.All(others, caller => Assert.True(caller.IsCompletedSuccessfully));
        open.Set();
    }

    [Fact]
    public async Task A_full_queue_rejects_items_or_delays_callers_and_loses_nothing()
    {
        var options = Options(workers: 1);
        options.QueueCapacity = 4;
        await using var pool = Create(options);
        var runs = new int[Items];
        var callers = Enumerable.Range(0, Items)
            .Select(item => pool.RunAsync(_ => Run(runs, item, fails: false), With(item, null)).AsTask()).ToList();

        await AnsweredAsync(callers);

        Assert.All(runs, count => Assert.Equal(1, count));
        Assert.All(callers, caller => Assert.True(caller.IsCompletedSuccessfully));
    }

    [Fact]
    public async Task Callers_that_are_not_awaited_are_answered_although_only_the_pool_refers_to_them()
    {
        var answered = 0;
        var workers = Forget(20);
        for (var step = 0; step < 600 && Volatile.Read(ref answered) < 20; step++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Clock.Advance(TimeSpan.FromMilliseconds(100));
            await Task.Yield();
        }

        Until(() => Volatile.Read(ref answered) == 20);
        workers.Set();

        ManualResetEventSlim Forget(int callers)
        {
            var open = new ManualResetEventSlim();
            var pool = Create(Options(workers: 1));
            var begun = new TaskCompletionSource();
            _ = pool.RunAsync(_ =>
            {
                begun.SetResult();
                open.Wait(Limit);
            }).AsTask();
            Until(() => begun.Task.IsCompleted);
            for (var number = 0; number < callers; number++)
            {
                _ = WaitAsync(pool, number);
            }

            return open;
        }

        async Task WaitAsync(WorkerPool<TState> pool, int item)
        {
            try
            {
                await pool.RunAsync(_ => { }, With(item, TimeSpan.FromSeconds(5)));
            }
            catch (WorkTimeoutException)
            {
                Interlocked.Increment(ref answered);
            }
        }
    }

    private async Task PassUntilAsync(Func<bool> condition, TimeSpan step)
    {
        for (var number = 0; number < 60 && !condition(); number++)
        {
            Clock.Advance(step);
            await Task.Run(static () => { });
            SpinWait.SpinUntil(condition, TimeSpan.FromMilliseconds(20));
        }
    }

    private sealed class HostileObserver(ManualResetEventSlim open, TimeSpan limit) : WorkerPoolObserver, IDisposable
    {
        public ManualResetEventSlim Called { get; } = new();

        public override void OnFailed(in WorkFailedArgs failed)
        {
            Called.Set();
            open.Wait(limit);
            throw new InvalidOperationException("An observer that throws.");
        }

        public void Dispose() => Called.Dispose();
    }
}
