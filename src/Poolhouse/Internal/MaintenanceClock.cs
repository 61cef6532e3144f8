namespace Poolhouse.Internal;

/// <summary>Ticks while a cache holds something, so that idle items go although nobody calls the pool.</summary>
// The timer knows the clock only weakly, so a dropped cache is garbage although its timer runs; the finalizer then ends the timer.
// It carries no ExecutionContext, so the first caller's async locals are not kept alive (I26).
internal sealed class MaintenanceClock(Tiers tiers, TimeProvider time, TimeSpan period) : IDisposable
{
    private readonly Lock _gate = new();
    private ITimer? _timer;
    private bool _running;
    private bool _disposed;

#pragma warning disable MA0055 // The timer queue would keep the timer of a cache that nobody disposed.
    ~MaintenanceClock() => _timer?.Dispose();
#pragma warning restore MA0055

    /// <summary>Called after an item came in; starts the timer unless it runs.</summary>
    public void EnsureRunning()
    {
        if (!Volatile.Read(ref _running))
        {
            Start();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _timer?.Dispose();
        }

        GC.SuppressFinalize(this);
    }

    private void Start()
    {
        lock (_gate)
        {
            if (!_running && !_disposed)
            {
                _timer ??= CreateTimer();
                _timer.Change(period, period);
                Volatile.Write(ref _running, true);
            }
        }
    }

    private ITimer CreateTimer()
    {
        var flows = !ExecutionContext.IsFlowSuppressed();
        if (flows)
        {
            ExecutionContext.SuppressFlow();
        }

        try
        {
            return time.CreateTimer(
                static state => Tick((WeakReference<MaintenanceClock>)state!),
                new WeakReference<MaintenanceClock>(this),
                Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
        }
        finally
        {
            if (flows)
            {
                ExecutionContext.RestoreFlow();
            }
        }
    }

    private static void Tick(WeakReference<MaintenanceClock> clock)
    {
        if (clock.TryGetTarget(out var living))
        {
            living.Tick();
        }
    }

    private void Tick()
    {
        lock (_gate)
        {
            // Stopped before the look, so that an item which comes in after it finds the clock stopped and starts it.
            Volatile.Write(ref _running, false);
        }

        if (tiers.Tick())
        {
            EnsureRunning();
            return;
        }

        lock (_gate)
        {
            if (!_running && !_disposed)
            {
                _timer!.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
    }
}
