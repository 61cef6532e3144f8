namespace Poolhouse.Internal;

/// <summary>The one timer of a pool.</summary>
// The clock's timer knows this object only weakly, so a dropped pool is garbage although its timer is armed; the finalizer then ends
// the timer. It carries no ExecutionContext, so the first caller's async locals are not kept alive (I26).
// Locks: a gate of its own around the timer; the tick runs outside it.
internal sealed class PoolTimer(TimeProvider time, Action tick) : IDisposable
{
    private readonly Lock _gate = new();
    private ITimer? _timer;
    private bool _disposed;

#pragma warning disable MA0055 // The timer queue would keep the timer of a pool that nobody disposed.
    ~PoolTimer() => _timer?.Dispose();
#pragma warning restore MA0055

    public void Change(TimeSpan dueTime, TimeSpan period)
    {
        lock (_gate)
        {
            if (!_disposed)
            {
                _timer ??= Create();
                _timer.Change(dueTime, period);
            }
        }
    }

    public void Stop() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _timer?.Dispose();
        }

        GC.SuppressFinalize(this);
    }

    private ITimer Create() => CallersContext.Leave(
        (Time: time, Timer: this),
        static armed => armed.Time.CreateTimer(
            static state => Tick((WeakReference<PoolTimer>)state!),
            new WeakReference<PoolTimer>(armed.Timer),
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan));

    private static void Tick(WeakReference<PoolTimer> timer)
    {
        if (timer.TryGetTarget(out var living))
        {
            living.Tick();
        }
    }

    private void Tick() => tick();
}
