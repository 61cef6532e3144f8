using Poolhouse.Kernel.Threading;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>A callback that was queued through the pool's synchronization context.</summary>
internal sealed class CallbackItem<TState>(WorkerPoolContext context, SendOrPostCallback callback, object? state)
    : StatefulItem<TState>
    where TState : notnull
{
    private bool _hasStarted;

    public override bool NeedsState => false;

    public override bool CanBeDropped => false;

    public override bool IsAwaited => false;

    public override void Run(TState workerState, Worker? worker)
    {
        _hasStarted = true;
        SynchronizationContext.SetSynchronizationContext(context);
        try
        {
            callback(state);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }

    public override void Finish()
    {
        // The result of the callback is not awaited.
    }

    /// <summary>
    /// The callback threw, which is reported to the observer; or the pool was closed, and code that awaits the callback must not
    /// hang.
    /// </summary>
    public override bool Fail(Exception failure)
    {
        if (!_hasStarted)
        {
            Interrupts.Defer(
                (callback, state),
                static item => ThreadPool.UnsafeQueueUserWorkItem(
                    static item => item.callback(item.state), item, preferLocal: false));
        }

        return false;
    }
}
