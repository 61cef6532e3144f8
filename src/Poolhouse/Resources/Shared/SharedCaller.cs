using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>A caller of a shared pool that has a slot and waits until an item has room for its use.</summary>
// Prepare is called by its own thread only, while it is awake; Wake once, by the thread that marked it as awake. The rest is
// guarded by the gate of the item set, except that the caller itself reads Failed.
internal sealed class SharedCaller<T>(TaskCreationOptions completion) : IntrusiveNode<SharedCaller<T>>
    where T : notnull
{
    private TaskCompletionSource _woken = new(completion);
    private SharedGrowth<T>? _failed;

    /// <summary>Completes when the caller should look for room again.</summary>
    public Task Woken => _woken.Task;

    /// <summary>
    /// Whether the caller is about to look for room, or to leave. A caller that is not awake waits for <see cref="Woken"/>.
    /// </summary>
    public bool IsAwake { get; set; }

    /// <summary>The creation of an item that failed while the caller was waiting. The caller fails if it finds no room.</summary>
    public SharedGrowth<T>? Failed
    {
        get => Volatile.Read(ref _failed);
        set => Volatile.Write(ref _failed, value);
    }

    /// <summary>The caller to wake after this one.</summary>
    public SharedCaller<T>? NextWoken { get; set; }

    /// <summary>Called before the caller waits, possibly not for the first time.</summary>
    public void Prepare()
    {
        if (_woken.Task.IsCompleted)
        {
            _woken = new TaskCompletionSource(completion);
        }
    }

    public void Wake()
    {
        try
        {
            _woken.TrySetResult();
        }
        catch (ThreadInterruptedException)
        {
            // The task has completed, but a blocked caller may not have been woken: it checks again soon. The interrupt is meant
            // for this thread.
            CurrentThread.Interrupt();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The task has completed, but an asynchronous caller may continue only at its timeout. The thread that wakes it has
            // others to wake.
        }
    }
}
