using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Returns continuations to a pool, on any of its workers.</summary>
internal sealed class WorkerPoolContext(WorkerCore core) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        var item = core.Factory.CreateCallback(this, d, state);
        var options = default(WorkOptions);
        item.Prepare(d, core.Lane(options), options, core.NoLimits, context: null);
        core.EnqueueAccepted(item);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (core.IsWorkerThread)
        {
            d(state);
            return;
        }

        BlockingSend.Run(d, state, Post);
    }

    public override SynchronizationContext CreateCopy() => this;
}
