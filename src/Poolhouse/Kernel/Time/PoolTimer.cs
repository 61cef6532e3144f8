namespace Poolhouse.Kernel.Time;

/// <summary>The only timer of a pool.</summary>
// The clock's timer refers to this object only weakly, so an unreferenced pool is garbage although its timer is armed; the
// finalizer then disposes the timer. It carries no ExecutionContext, so the first caller's async locals are not kept alive (I26).
// A caller that awaits is kept alive by the object that will complete its wait, which is the pool: together they would be garbage
// too. So the clock's timer also refers to the pool's queues and lists (waits). Their entries refer to the pool, while an empty
// one refers to nothing: an armed timer keeps the pool alive exactly while callers wait, and nothing has to be switched (I29).
// Locks: a gate of its own around the timer; the tick runs outside it.
internal sealed class PoolTimer : IDisposable
{
    private readonly TimeProvider _time;
    private readonly Action _tick;
    private readonly object[] _waits;
    private readonly Gate _gate = new();
    private ITimer? _timer;
    private bool _disposed;

    /// <param name="time">The clock.</param>
    /// <param name="tick">Called when the time has come.</param>
    /// <param name="waits">Objects that refer to the pool while, and only while, callers wait for a timed event.</param>
    public PoolTimer(TimeProvider time, Action tick, params object[] waits)
    {
        _time = time;
        _tick = tick;
        _waits = waits;
    }

#pragma warning disable MA0055 // Otherwise the timer queue would keep the timer of a pool that was never disposed.
    ~PoolTimer() => _timer?.Dispose();
#pragma warning restore MA0055

    // The timers of the runtime have a lock of their own, where a thread can be interrupted: the change must not be lost.
    public void Change(TimeSpan dueTime, TimeSpan period) =>
        Interrupts.Defer((Timer: this, dueTime, period), static change => change.Timer.ChangeNow(change.dueTime, change.period));

    public void Stop() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    // Deferred like a change: a pool disposes of its timer in the middle of its closing, on any thread that completes it.
    public void Dispose()
    {
        Interrupts.Defer(this, static timer => timer.DisposeNow());
        GC.SuppressFinalize(this);
    }

    private void DisposeNow()
    {
        using (_gate.Enter())
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    private void ChangeNow(TimeSpan dueTime, TimeSpan period)
    {
        using (_gate.Enter())
        {
            if (!_disposed)
            {
                _timer ??= Create();
                _timer.Change(dueTime, period);
            }
        }
    }

    private ITimer Create() => ExecutionContextFlow.RunSuppressed(
        this,
        static timer => timer._time.CreateTimer(
            static state => ((Target)state!).Tick(), new Target(timer), Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));

    /// <summary>The object that the clock refers to.</summary>
    private sealed class Target(PoolTimer timer)
    {
        private readonly WeakReference<PoolTimer> _timer = new(timer);

#pragma warning disable CA1823, IDE0052 // Never read: it only keeps the objects reachable for the garbage collector.
        private readonly object[] _waits = timer._waits;
#pragma warning restore CA1823, IDE0052

        public void Tick()
        {
            if (_timer.TryGetTarget(out var living))
            {
                living._tick();
            }
        }
    }
}
