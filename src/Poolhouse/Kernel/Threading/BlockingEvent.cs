namespace Poolhouse.Kernel.Threading;

/// <summary>The event on which a synchronous caller blocks; it is set once.</summary>
// Based on a task, because the thread pool compensates for its threads that are blocked on tasks, but not for those blocked on
// other events. No asynchronous work is waited for here: the thread that sets the event completes the task.
internal sealed class BlockingEvent
{
    private readonly TaskCompletionSource _set = new();

    public void Set()
    {
        try
        {
            _set.TrySetResult();
        }
        catch (ThreadInterruptedException)
        {
            // The event is set, but the waiter may not have been woken: it checks again soon. The interrupt is meant for this
            // thread.
            CurrentThread.Interrupt();
        }
    }

    /// <returns>False if the event was not set within the given time.</returns>
#pragma warning disable VSTHRD002 // A synchronous rent must block.
    public bool Wait(TimeSpan limit) => _set.Task.Wait(limit, CancellationToken.None);
#pragma warning restore VSTHRD002
}
