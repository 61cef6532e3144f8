using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Poolhouse.Extensions.Health;
using Poolhouse.Extensions.Logging;
using Poolhouse.Testing;
using Poolhouse.TestSupport;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Tests.Logging;

public sealed class Logs
{
    private static readonly PoolFigures _inOutage = new()
    {
        Outage = new PoolOutage(DateTimeOffset.UnixEpoch, TimeSpan.Zero, new TimeoutException(), TimeSpan.Zero),
    };


    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void A_flood_of_timeouts_is_one_entry_and_one_summary_every_ten_seconds()
    {
        using var recorder = new LogRecorder();
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, static _ => new PoolFigures());
        using var pool = new TieredObjectPool<object>(() => new object());
        for (var second = 0; second < 30; second++)
        {
            for (var call = 0; call < 10_000; call++)
            {
                log.WaitTimedOut(pool, TimeSpan.FromSeconds(1));
            }

            _time.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Single(recorder.Of(1200));
        var summaries = recorder.Of(1203);
        Assert.Equal(3, summaries.Count);
        Assert.Equal("Pool 'main': further callers that timed out in the last 10 s: 99999.", summaries[0].Text);
        Assert.Equal("Pool 'main': further callers that timed out in the last 10 s: 100000.", summaries[1].Text);
    }

    [Fact]
    public void After_a_quiet_time_the_next_entry_is_written_at_once()
    {
        using var recorder = new LogRecorder();
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, static _ => new PoolFigures());
        log.LeakSuspected(Leak(1, label: null));
        log.LeakSuspected(Leak(1, label: null));
        _time.Advance(LogThrottle.Window);
        Assert.Single(recorder.Of(1212));
        _time.Advance(LogThrottle.Window);
        log.LeakSuspected(Leak(2, label: null));

        Assert.Equal(2, recorder.Of(1210).Count);
        Assert.Single(recorder.Of(1212));
    }

    [Theory]
    [InlineData("/orders/{id}", "/orders/{id}")]
    [InlineData(null, "none")]
    public void A_suspected_leak_is_logged_with_its_item_and_its_label(string? label, string shown)
    {
        using var recorder = new LogRecorder();
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, static _ => new PoolFigures());
        log.LeakSuspected(Leak(60, label));

        Assert.Equal(
            $"Pool 'main': item 7 has been leased for 60 s. Label: {shown}. Rented at: unknown, because TrackLeases is off",
            Assert.Single(recorder.Of(1210)).Text);
    }

    [Fact]
    public void An_outage_is_one_warning_and_one_recovery()
    {
        using var recorder = new LogRecorder();
        var figures = _inOutage;
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, _ => figures);
        using var pool = new TieredObjectPool<object>(() => new object());
        log.Created(pool);
        for (var failures = 1; failures <= 100; failures++)
        {
            log.CreateFailed(pool, new TimeoutException("secret"), failures, TimeSpan.FromSeconds(0.1));
            _time.Advance(TimeSpan.FromSeconds(0.1));
        }

        // As by another key of a keyed pool.
        log.Created(pool);
        Assert.Equal([1100], recorder.Entries.Select(entry => entry.Id));

        figures = new PoolFigures();
        log.Created(pool);
        log.Created(pool);

        Assert.Equal([1100, 1101], recorder.Entries.Select(entry => entry.Id));
        Assert.Equal(
            "Pool 'main' creates items again: the outage lasted 10 s; callers refused: 0.", recorder.Entries[1].Text);
        Assert.DoesNotContain(recorder.Entries, entry => entry.Text.Contains("secret", StringComparison.Ordinal));
    }

    [Fact]
    public void A_server_without_room_is_no_outage_in_the_log()
    {
        using var recorder = new LogRecorder { Lowest = LogLevel.Debug };
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, static _ => new PoolFigures());
        using var pool = new TieredObjectPool<object>(() => new object());
        var observer = new PoolObserver(log, []);
        for (var failures = 1; failures <= 3; failures++)
        {
            observer.OnCreateFailed(new(pool, new TimeoutException(), failures, TimeSpan.FromSeconds(0.25)) { LacksRoom = true });
        }

        observer.OnCreated(new(pool, 1, TimeSpan.Zero));

        Assert.Equal([1102, 1102, 1102], recorder.Entries.Select(entry => entry.Id));
    }

    [Fact]
    public void Callers_refused_in_an_outage_are_counted_in_the_recovery_and_are_no_warnings()
    {
        using var recorder = new LogRecorder();
        var figures = _inOutage;
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, _ => figures);
        using var pool = new TieredObjectPool<object>(() => new object());
        var observer = new PoolObserver(log, []);
        observer.OnCreateFailed(new(pool, new TimeoutException(), 1, TimeSpan.FromSeconds(0.1)));
        foreach (var outcome in (WaitOutcome[])[WaitOutcome.TimedOut, WaitOutcome.Failed, WaitOutcome.Shed])
        {
            observer.OnWaitEnded(new(pool, outcome, TimeSpan.FromSeconds(2)));
        }

        figures = new PoolFigures();
        observer.OnCreated(new(pool, 1, TimeSpan.Zero));

        Assert.Equal([1100, 1101], recorder.Entries.Select(entry => entry.Id));
        Assert.EndsWith("callers refused: 3.", recorder.Entries[1].Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_failure_is_named_by_its_types_and_codes() => Assert.Equal(
        "System.Net.Http.HttpRequestException because of System.Net.Sockets.SocketException (ConnectionRefused)",
        PoolStates.Describe(new HttpRequestException("secret", new SocketException((int)SocketError.ConnectionRefused))));

    [Fact]
    public void Outages_soon_after_the_first_are_counted_and_each_of_them_ends_with_a_recovery()
    {
        using var recorder = new LogRecorder { Lowest = LogLevel.Debug };
        var figures = _inOutage;
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, _ => figures);
        using var pool = new TieredObjectPool<object>(() => new object());
        for (var outage = 0; outage < 3; outage++)
        {
            figures = _inOutage;
            log.CreateFailed(pool, new TimeoutException(), 1, TimeSpan.FromSeconds(0.1));
            log.CreateFailed(pool, new TimeoutException(), 2, TimeSpan.FromSeconds(0.1));
            _time.Advance(TimeSpan.FromSeconds(2));
            figures = new PoolFigures();
            log.Created(pool);
        }

        _time.Advance(LogThrottle.Window);

        Assert.Equal(
            [1100, 1102, 1101, 1102, 1102, 1101, 1102, 1102, 1101, 1103], recorder.Entries.Select(entry => entry.Id));
        Assert.All(
            recorder.Of(1101), entry => Assert.Equal(
                "Pool 'main' creates items again: the outage lasted 2 s; callers refused: 0.", entry.Text));
        Assert.Equal(
            "Pool 'main': further outages in the last 10 s: 2.",
            Assert.Single(recorder.Of(1103)).Text);
        Assert.Equal(
            "Pool 'main' is in an outage: an item could not be created because of System.TimeoutException. The pool keeps " +
            "trying, next within 0.1 s, and needs no help once the server is back. Callers are refused after OutageTimeout: " +
            "raise it if they should wait for longer.",
            Assert.Single(recorder.Of(1100)).Text);
    }

    [Fact]
    public void A_creation_that_fails_after_another_one_has_succeeded_is_no_outage()
    {
        using var recorder = new LogRecorder { Lowest = LogLevel.Debug };
        var figures = new PoolFigures();
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, _ => figures);
        using var pool = new TieredObjectPool<object>(() => new object());
        log.Created(pool);
        log.CreateFailed(pool, new TimeoutException("secret"), 0, TimeSpan.Zero);
        Assert.Equal(
            "Pool 'main' could not create an item, but has created another one since that creation began " +
            "(System.TimeoutException).",
            Assert.Single(recorder.Entries).Text);

        figures = _inOutage;
        log.CreateFailed(pool, new TimeoutException(), 1, TimeSpan.FromSeconds(0.1));

        Assert.Equal([1107, 1100], recorder.Entries.Select(entry => entry.Id));
    }

    [Fact]
    public void A_failure_that_is_reported_after_the_creation_that_ended_the_outage_is_followed_by_a_recovery()
    {
        using var recorder = new LogRecorder();
        var figures = new PoolFigures();
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, _ => figures);
        using var pool = new TieredObjectPool<object>(() => new object());
        log.Created(pool);
        log.CreateFailed(pool, new TimeoutException(), 1, TimeSpan.FromSeconds(0.1));
        Assert.Equal([1100, 1101], recorder.Entries.Select(entry => entry.Id));

        _time.Advance(LogThrottle.Window);
        figures = _inOutage;
        log.CreateFailed(pool, new TimeoutException(), 1, TimeSpan.FromSeconds(0.1));
        Assert.Equal([1100, 1101, 1100], recorder.Entries.Select(entry => entry.Id));
    }

    [Fact]
    public async Task A_state_that_a_worker_pool_cannot_create_is_logged_as_such()
    {
        var apps = new Apps();
        using var host = apps.Build(services => services.AddWorkerPool<Link>(
            _ => throw new HttpRequestException("down"), "main", options => options.MaxWorkers = 1));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<WorkerPool<Link>>("main");

        await Assert.ThrowsAsync<HttpRequestException>(
            () => pool.RunAsync(_ => { }, cancellationToken: TestContext.Current.CancellationToken).AsTask());
        await apps.Log.WaitForAsync(1104, 1, TestContext.Current.CancellationToken);

        Assert.Equal(
            "Pool 'main' could not create a state; the next item tries again.", Assert.Single(apps.Log.Of(1104)).Text);
        Assert.Empty(apps.Log.Of(1100));
    }

    [Fact]
    public void A_level_that_is_off_costs_no_memory()
    {
        using var recorder = new LogRecorder { Lowest = LogLevel.None };
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, static _ => new PoolFigures());
        using var pool = new TieredObjectPool<object>(() => new object());
        var observer = new PoolObserver(log, []);
        var failure = new TimeoutException();

        Assert.Equal(0, Allocated.By(Notify, cycles: 1_000));

        void Notify()
        {
            observer.OnWaitEnded(new(pool, WaitOutcome.TimedOut, TimeSpan.FromSeconds(1)));
            observer.OnWaitEnded(new(pool, WaitOutcome.Shed, TimeSpan.FromSeconds(1)));
            observer.OnCreateFailed(new(pool, failure, 1, TimeSpan.Zero));
            observer.OnCreated(new(pool, 1, TimeSpan.Zero));
            observer.OnDestroyed(new(pool, 1, DestroyReason.Broken, failure));
            observer.OnLeakSuspected(new(pool, 1, TimeSpan.FromSeconds(1), Label: null, RentedAt: null));
        }
    }

    [Fact]
    public void An_interrupt_that_hits_an_observer_is_left_for_the_thread_after_the_others_were_notified()
    {
        using var recorder = new LogRecorder { Lowest = LogLevel.None };
        using var log = new PoolLog(recorder.CreateLogger("Poolhouse.Resources"), "main", _time, static _ => new PoolFigures());
        using var pool = new TieredObjectPool<object>(() => new object());
        var (interrupted, other) = (new JoiningObserver { Throws = true }, new JoiningObserver());
        var observer = new PoolObserver(log, [interrupted, other]);
        var isPending = false;
        var thread = new Thread(() =>
        {
            observer.OnCreated(new(pool, 1, TimeSpan.Zero));
            try
            {
                Thread.CurrentThread.Join(0);
            }
            catch (ThreadInterruptedException)
            {
                isPending = true;
            }
        });
        thread.Start();
        thread.Join();

        Assert.Equal((1, 1, true), (interrupted.Calls, other.Calls, isPending));
    }

    [Fact]
    public async Task The_events_of_a_real_pool_reach_its_log_and_the_observers_of_the_app_even_if_one_throws()
    {
        var apps = new Apps();
        var (seen, failing) = (new Counter(), new Counter { Throws = true });
        using var host = apps.Build(services => services
            .AddResourcePool<Link>(
                (_, token) => Link.OpenAsync(token), "main", options => (options.MaxSize, options.Observer) = (1, failing))
            .AddObserver(_ => seen));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);

        var rent = pool.RentAsync(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken).AsTask();
        apps.Time.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAsync<PoolTimeoutException>(() => rent);

        Assert.Equal((seen.Waits, 0), (failing.Waits, 0));
        Assert.True(seen.Waits > 0, "The observer of the app was not notified.");
        var entry = Assert.Single(apps.Log.Of(1200));
        Assert.Equal("Poolhouse.Resources", entry.Category);
        Assert.StartsWith(
            "Pool 'main': no item within 1 s (MaxSize 1: 1 leased, 0 idle, 0 creating;", entry.Text, StringComparison.Ordinal);
        Assert.Contains("). Saturated: items are requested faster than they are returned.", entry.Text, StringComparison.Ordinal);
        Assert.Single(apps.Log.Of(1000));
    }

    [Fact]
    public async Task A_log_that_cannot_be_written_does_not_hide_an_event_from_the_observers_of_the_app()
    {
        var apps = new Apps();
        using var logging = new ThrowingProvider(1200);
        var seen = new Counter();
        using var host = apps.Build(services => services
            .AddLogging(log => log.AddProvider(logging))
            .AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main", options => options.MaxSize = 1)
            .AddObserver(_ => seen));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        var before = seen.Waits;

        var rent = pool.RentAsync(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken).AsTask();
        apps.Time.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAsync<PoolTimeoutException>(() => rent);

        Assert.Equal(before + 1, seen.Waits);
    }

    [Fact]
    public async Task A_log_that_cannot_be_written_does_not_hide_an_event_of_a_worker_pool_from_its_observers()
    {
        var apps = new Apps();
        using var logging = new ThrowingProvider(1104);
        var seen = new WorkCounter();
        using var host = apps.Build(services => services
            .AddLogging(log => log.AddProvider(logging))
            .AddWorkerPool<Link>(_ => throw new HttpRequestException("down"), "main", options => options.MaxWorkers = 1)
            .AddObserver(_ => seen));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<WorkerPool<Link>>("main");

        await Assert.ThrowsAsync<HttpRequestException>(
            () => pool.RunAsync(_ => { }, cancellationToken: TestContext.Current.CancellationToken).AsTask());
        await apps.Log.WaitForAsync(1104, 1, TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);
        await pool.DisposeAsync();

        Assert.Equal(1, seen.Failures);
    }

    private sealed class WorkCounter : WorkerPoolObserver
    {
        private int _failures;

        public int Failures => Volatile.Read(ref _failures);

        public override void OnStateCreateFailed(in StateCreateFailedArgs failed) => Interlocked.Increment(ref _failures);
    }

    private sealed class Counter : ResourcePoolObserver
    {
        private int _waits;

        public bool Throws { get; init; }

        public int Waits => Volatile.Read(ref _waits);

        public override void OnWaitEnded(in WaitEndedArgs ended)
        {
            Interlocked.Increment(ref _waits);
            if (Throws)
            {
                throw new InvalidOperationException("An observer that throws.");
            }
        }
    }

    private static LeakSuspectedArgs Leak(int seconds, string? label) =>
        new(Pool: null!, ItemNumber: 7, TimeSpan.FromSeconds(seconds), label, RentedAt: null);

    /// <summary>Its calls fail if an interrupt is pending.</summary>
    private sealed class JoiningObserver : ResourcePoolObserver
    {
        public bool Throws { get; init; }

        public int Calls { get; private set; }

        public override void OnCreated(in ItemCreatedArgs created)
        {
            Thread.CurrentThread.Join(0);
            Calls++;
            if (Throws)
            {
                throw new ThreadInterruptedException();
            }
        }
    }
}
