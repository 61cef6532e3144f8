using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Extensions.Registration;

/// <summary>
/// Calls back once a configuration has stopped changing for a quarter of a second, because file watchers report one change
/// several times.
/// </summary>
// Invariants
//   at most one callback runs at a time, and each change is followed by a callback that starts after it
// State: the number of changes that no completed callback has covered; the thread that makes it 1 runs the callbacks. No lock is
// held meanwhile.
internal sealed class ReloadWatcher<TOptions> : IDisposable
{
    public static readonly TimeSpan Debounce = TimeSpan.FromMilliseconds(250);

    private readonly Action _reload;
    private readonly ITimer _timer;
    private readonly List<IDisposable> _subscriptions = [];
    private int _state;

    public ReloadWatcher(IEnumerable<IOptionsChangeTokenSource<TOptions>> sources, TimeProvider time, Action reload)
    {
        _reload = reload;

        // The first request that resolves the pool may create it: its async locals must not live as long as the app (I26).
        _timer = ExecutionContextFlow.RunSuppressed(
            (Watcher: this, Time: time),
            static create => create.Time.CreateTimer(
                static watcher => ((ReloadWatcher<TOptions>)watcher!).Fire(), create.Watcher, Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan));
        foreach (var source in sources)
        {
            _subscriptions.Add(ChangeToken.OnChange(source.GetChangeToken, Schedule));
        }
    }

    /// <summary>Calls back as after a change.</summary>
    public void Schedule() => _timer.Change(Debounce, Timeout.InfiniteTimeSpan);

    public void Dispose()
    {
        foreach (var subscription in _subscriptions)
        {
            subscription.Dispose();
        }

        _timer.Dispose();
    }

    private void Fire()
    {
        // A callback that is still running carries on for this change too.
        if (Interlocked.Increment(ref _state) > 1)
        {
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _state);
            // The callback reports its failures itself; a logger that throws has no caller here, and would end the process.
            UserCode.Notify(_reload, 0, static (reload, _) => reload());
        }
        while (Interlocked.CompareExchange(ref _state, 0, seen) != seen);
    }
}
