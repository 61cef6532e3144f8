using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <summary>Returns continuations to one worker.</summary>
internal sealed class WorkerContext(Worker worker) : SynchronizationContext
{
    /// <summary>Queues the callback; once the thread has ended, any other worker runs it.</summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (!worker.TryPost(d, state))
        {
            worker.Workers.Core.Context.Post(d, state);
        }
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (Worker.Current == worker)
        {
            d(state);
            return;
        }

        BlockingSend.Run(d, state, Post);
    }

    public override SynchronizationContext CreateCopy() => this;
}
