using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>What came by the pool's synchronization context.</summary>
internal sealed class CallbackItem<TState>(WorkerPoolContext context, SendOrPostCallback callback, object? state) : WorkItem<TState>
    where TState : notnull
{
    private bool _isBegun;

    public override bool NeedsState => false;

    public override bool CanBeDropped => false;

    public override bool IsAwaited => false;

    public override void Run(TState workerState, Worker? worker)
    {
        _isBegun = true;
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
        // Nobody waits for it.
    }

    /// <summary>
    /// It threw, which the observer hears of; or the pool was closed, and whoever awaits must not hang for that.
    /// </summary>
    public override bool Fail(Exception failure)
    {
        if (!_isBegun)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static item => item.callback(item.state), (callback, state), preferLocal: false);
        }

        return false;
    }
}
