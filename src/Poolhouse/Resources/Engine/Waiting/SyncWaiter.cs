using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>A caller that blocks its thread on an event of its own, in the same queue as asynchronous callers.</summary>
internal sealed class SyncWaiter<TGrant, T>(WaitingRents<TGrant, T> rents, ResourceRuntime<T> runtime) : Waiter<TGrant>
    where TGrant : class
    where T : notnull
{
    // How long the thread pool may take to start the pool's work before the waiting thread starts it on a dedicated thread.
    private static readonly TimeSpan _startTimeout = TimeSpan.FromMilliseconds(50);

    private readonly BlockingEvent _decided = new();

    public override bool IsSynchronous => true;

    public override void Wake() => _decided.Set();

    /// <summary>
    /// Blocks until the outcome is decided. The deadline holds even if no timer can fire because every thread-pool thread is
    /// blocked.
    /// </summary>
    /// <exception cref="ThreadInterruptedException">
    /// The thread was interrupted. The wait has ended, and what it was given has been returned.
    /// </exception>
    public void Wait(CancellationToken cancellationToken)
    {
        try
        {
            WaitUntilCompleted(cancellationToken);
        }
        catch
        {
            rents.Abandon(this);
            throw;
        }
    }

    private void WaitUntilCompleted(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.UnsafeRegister(
            static waiter => ((SyncWaiter<TGrant, T>)waiter!).Cancel(), this);
        while (!_decided.Wait(TimeUntilCheck()))
        {
            if (runtime.Clock.Now >= Deadline && TryComplete(WaitOutcome.TimedOut))
            {
                rents.Withdraw(this);
                return;
            }

            RunQueuedOnOwnThreads();
            rents.EndInOutage();
        }
    }

    /// <summary>How long to block before the next check: up to the deadline if the pool's clock is the real one.</summary>
    private TimeSpan TimeUntilCheck()
    {
        if (Deadline == PoolClock.Never || runtime.Settings.Options.TimeProvider != TimeProvider.System)
        {
            return _startTimeout;
        }

        var left = runtime.Clock.Span(Math.Max(0, Deadline - runtime.Clock.Now)).TotalMilliseconds;
        return TimeSpan.FromMilliseconds(Math.Min(Math.Ceiling(left), _startTimeout.TotalMilliseconds));
    }

    /// <summary>
    /// Runs work that the thread pool has not started on dedicated threads: all thread-pool threads may be blocked.
    /// </summary>
    private void RunQueuedOnOwnThreads()
    {
        foreach (var work in runtime.Deadlines.ToList().Where(static work => work.IsQueued))
        {
            try
            {
                runtime.Scheduler.PostToOwnThread(work);
            }
            catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
            {
                // It stays queued to the thread pool, and is tried again soon. This caller has a deadline.
            }
        }
    }

    private void Cancel()
    {
        if (TryComplete(WaitOutcome.Cancelled))
        {
            rents.EndCancelled(this);
        }
    }
}
