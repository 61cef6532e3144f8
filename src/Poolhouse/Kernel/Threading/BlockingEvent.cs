
namespace Poolhouse.Kernel.Threading;

/// <summary>What a synchronous caller blocks on: set once.</summary>
// A task underneath, because the thread pool makes up for threads of its own that are blocked on tasks, and not for those that are
// blocked on other events. Nothing runs asynchronously that would be waited for here: whoever sets the event completes the task.
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
            // It is set, but the one who waits may not have been woken: it looks again soon. The interrupt is this thread's own business.
            CurrentThread.Interrupt();
        }
    }

    /// <returns>False if the event was not set within the time.</returns>
#pragma warning disable VSTHRD002 // Blocking is what a synchronous rent is for.
    public bool Wait(TimeSpan limit) => _set.Task.Wait(limit, CancellationToken.None);
#pragma warning restore VSTHRD002
}
