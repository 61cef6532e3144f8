namespace Poolhouse.Internal;

/// <summary>Ticks while a cache holds something, so that idle items go although nobody calls the pool.</summary>
// The timer refers to the cache weakly: a dropped cache is collected, and the next tick ends the timer.
// It carries no ExecutionContext, so the first caller's async locals are not kept alive (I26).
internal sealed class MaintenanceClock(Tiers tiers, TimeProvider time, TimeSpan period) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly WeakReference<Tiers> _tiers = new(tiers);
    private ITimer? _timer;
    private bool _running;
    private bool _disposed;

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
    }

    private void Start()
    {
        lock (_gate)
        {
            if (_running || _disposed)
            {
                return;
            }

            _timer ??= CreateTimer();
            _timer.Change(period, period);
            Volatile.Write(ref _running, true);
        }
    }

    private ITimer CreateTimer()
    {
        var flowing = !ExecutionContext.IsFlowSuppressed();
        if (flowing)
        {
            ExecutionContext.SuppressFlow();
        }

        try
        {
            return time.CreateTimer(
                static state => ((MaintenanceClock)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
        finally
        {
            if (flowing)
            {
                ExecutionContext.RestoreFlow();
            }
        }
    }

    private void Tick()
    {
        if (!_tiers.TryGetTarget(out var tiers))
        {
            Dispose();
            return;
        }

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
