using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Caching;

/// <summary>Ticks while a cache holds items, so that idle items are released even if the pool is not used.</summary>
internal sealed class MaintenanceTimer : IDisposable
{
    private readonly Gate _gate = new();
    private readonly CacheEngine _engine;
    private readonly TimeSpan _period;
    private readonly PoolTimer _timer;
    private bool _running;

    public MaintenanceTimer(CacheEngine engine, TimeProvider time, TimeSpan period)
    {
        _engine = engine;
        _period = period;
        _timer = new PoolTimer(time, Tick);
    }

    /// <summary>Called after an item was added; starts the timer unless it is running.</summary>
    public void EnsureRunning()
    {
        if (!Volatile.Read(ref _running))
        {
            Start();
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Start()
    {
        try
        {
            using (_gate.Enter())
            {
                if (!_running)
                {
                    _timer.Change(_period, _period);
                    Volatile.Write(ref _running, true);
                }
            }
        }
        catch (OutOfMemoryException)
        {
            // The item was added: if the return failed, its caller might continue to use it. The next return tries again.
        }
    }

    private void Tick()
    {
        using (_gate.Enter())
        {
            // Stopped before the check, so that an item added after the check finds the timer stopped and starts it.
            Volatile.Write(ref _running, false);
        }

        if (_engine.Tick())
        {
            EnsureRunning();
            return;
        }

        using (_gate.Enter())
        {
            if (!_running)
            {
                _timer.Stop();
            }
        }
    }
}
