using Poolhouse.Kernel;
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

    /// <summary>
    /// Called after an item was added; starts the timer unless it is running. If that fails, the next call tries again.
    /// </summary>
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
#pragma warning disable CA1031 // The item was added: a clock that cannot create a timer must not fail the return.
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
        catch (Exception)
        {
        }
#pragma warning restore CA1031
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
                // If this fails, the timer is stopped at its next tick. Here, an exception would end the process.
                UserCode.Notify(_timer, 0, static (timer, _) => timer.Stop());
            }
        }
    }
}
