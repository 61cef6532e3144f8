namespace Poolhouse.Tests;

/// <summary>
/// The system's clock, except that a thread is interrupted whenever it disposes of a timer for the first time: the timers of the
/// runtime have a lock where that can happen.
/// </summary>
internal sealed class InterruptingClock : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new InterruptingTimer(base.CreateTimer(callback, state, dueTime, period));

    private sealed class InterruptingTimer(ITimer inner) : ITimer
    {
        private bool _hasInterrupted;

        public bool Change(TimeSpan dueTime, TimeSpan period) => inner.Change(dueTime, period);

        public void Dispose()
        {
            if (!_hasInterrupted)
            {
                _hasInterrupted = true;
                throw new ThreadInterruptedException();
            }

            inner.Dispose();
        }

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
