using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A whole resource pool of one part, with its waiters, its work under deadlines and its timer.</summary>
internal sealed class PoolBench
{
    private readonly ScenarioRun _run;
    private readonly ExplorerClock _clock;
    private readonly ExplorerScheduler _scheduler;
    private readonly PartPolicy _policy;

    public PoolBench(
        ScenarioRun run, bool resets = false, bool createsSynchronously = false, bool keepsAlive = false,
        Action<ResourcePoolOptions>? configure = null)
    {
        _run = run;
        _clock = new ExplorerClock();
        _scheduler = new ExplorerScheduler(run);
        _policy =
            resets ? new ResettingPolicy(_clock)
            : createsSynchronously ? new SynchronousPolicy(_clock)
            : keepsAlive ? new KeepAlivePolicy(_clock)
            : new PartPolicy(_clock);
        var options = new ResourcePoolOptions
        {
            MaxSize = 1,
            Name = "bench",
            RentTimeout = Timeout.InfiniteTimeSpan,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            TimeProvider = _clock,
            Scheduler = _scheduler,
            Random = new Random(1),
        };
        configure?.Invoke(options);
        Pool = new ResourcePool<Part>(_policy, options);
        run.WhenBlocked(OnBlocked);
        run.AtEnd(CheckEnd);
    }

    public ResourcePool<Part> Pool { get; }

    public PartPolicy Policy => _policy;

    /// <summary>The time up to which the clock advances while all actors wait.</summary>
    public TimeSpan Horizon { get; set; } = TimeSpan.FromTicks(-1);

    public TimeSpan Time => TimeSpan.FromTicks(_clock.Now);

    public int TimedOut { get; private set; }

    public int Cancelled { get; private set; }

    public int Refused { get; private set; }

    /// <summary>Creates the part and rents it during the setup. Afterwards, the pool's work runs as actors.</summary>
    public Lease<Part> RentFirst()
    {
        var lease = RentAsync()!.Value;
        Begin();
        return lease;
    }

    /// <summary>Lets the next starts of threads fail.</summary>
    public void LackThreads(int count) => _scheduler.MissingThreads = count;

    /// <summary>Lets the next postings of work fail.</summary>
    public void LackMemory(int count) => _scheduler.MissingMemory = count;

    /// <summary>The clock jumps, and every timer that is due fires.</summary>
    public void Jump(TimeSpan time)
    {
        _clock.Now += time.Ticks;
        while (_clock.MoveToNextTimer(Time) is { } timer)
        {
            timer();
        }
    }

    public void Begin() => _scheduler.IsSettingUp = false;

    /// <summary>From now on, the pool's work runs at once, as during the setup.</summary>
    public void StopScheduling() => _scheduler.IsSettingUp = true;

    /// <summary>Rents, and continues when the lease is there, like a method that awaits it.</summary>
    /// <returns>The lease; null after one of the exceptions that are counted.</returns>
    public Lease<Part>? RentAsync(CancellationToken cancellationToken = default) => Hold(() =>
    {
        var rent = Pool.RentAsync(cancellationToken).AsTask();
        Actor.Until(() => rent.IsCompleted, "its lease");
        return rent.GetAwaiter().GetResult();
    });

    /// <summary>Rents, and blocks.</summary>
    public Lease<Part>? Rent() => Hold(() => Pool.Rent(CancellationToken.None));

    /// <summary>Warms the pool up, and continues when it is warm.</summary>
    public void WarmUp(int count)
    {
        var warmUp = Pool.WarmUpAsync(count, CancellationToken.None);
        Actor.Until(() => warmUp.IsCompletedSuccessfully, "its warm-up");
    }

    /// <summary>Disposes of the pool and waits until it is at rest: DisposeAsync without its hop to the thread pool.</summary>
    public void DisposePool()
    {
        Pool.Dispose();
        var quiescent = Pool.Runtime.Shutdown.WhenQuiescentAsync();
        Actor.Until(() => quiescent.IsCompleted, "the pool to be at rest");
    }

    /// <summary>Drains the pool and waits until it is empty.</summary>
    public void DrainPool()
    {
        Pool.Runtime.Shutdown.Close(drain: true);
        Actor.Until(() => Pool.Runtime.Shutdown.WhenEmptyAsync().IsCompleted, "the pool to be empty");
    }

    public static void Return(Lease<Part>? lease)
    {
        if (lease is { } given)
        {
            given.Value.Release();
            given.Dispose();
        }
    }

    public static void Require(Lease<Part>? lease)
    {
        Part.Require(lease is not null, "A caller was not served.");
        Return(lease);
    }

    private Lease<Part>? Hold(Func<Lease<Part>> rent)
    {
        try
        {
            var lease = rent();
            lease.Value.Hold();
            return lease;
        }
        catch (PoolTimeoutException)
        {
            TimedOut++;
        }
        catch (OperationCanceledException)
        {
            Cancelled++;
        }
        catch (ThreadInterruptedException)
        {
            // The pool counts it as a cancellation, unless the caller had been given the part already.
            Cancelled++;
        }
        catch (ObjectDisposedException)
        {
            Refused++;
        }

        return null;
    }

    private bool OnBlocked()
    {
        var now = Pool.GetStatistics();
        Part.Require(now.Waiting == 0 || now.Idle == 0, "A part is idle while a caller waits (I5).");
        if (_clock.MoveToNextTimer(Horizon) is not { } timer)
        {
            return false;
        }

        _run.Actor("alarm", timer);
        return true;
    }

    private void CheckEnd()
    {
        var now = Pool.GetStatistics();
        Part.Require(now is { Creating: 0, Validating: 0, Resetting: 0, Destroying: 0 }, "Some work was not completed.");
        Part.Require(now.Waiting == 0, "A caller is left in the queue.");
        Part.Require(Pool.Runtime.Deadlines.ToList().Count == 0, "The deadline monitor still watches work.");
        Part.Require(now.Live == _policy.Alive, $"The pool counts {now.Live} live parts, the policy {_policy.Alive} (I3).");
        Part.Require(
            now.Idle + _policy.Held == now.Live,
            $"{now.Live} parts alive, {now.Idle} idle, {_policy.Held} leased (I3).");
        Part.Require(now.Created == _policy.Created, $"{_policy.Created} parts were created; the pool counts {now.Created}.");
        Part.Require(_policy.Violation is null, _policy.Violation?.Message ?? "");
        Part.Require(now.Timeouts == TimedOut, "Timeouts are miscounted.");

        // A cancellation before the wait begins is not counted.
        Part.Require(now.Cancellations <= Cancelled, "Cancellations are miscounted.");
    }
}
