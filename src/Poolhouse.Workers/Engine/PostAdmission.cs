using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Engine;

/// <summary>Posts that find the queue full: they wait for capacity, are run by the caller, rejected or dropped.</summary>
internal static class PostAdmission
{
    /// <summary>Applies <see cref="WorkerPoolOptions.QueueFull"/> to an item that its caller owns.</summary>
    /// <returns>A task that completes when the item is in the queue, was dropped, or was run by the caller.</returns>
    public static async ValueTask QueueAsync<TState, TArgument>(
        WorkerCore core, PostItem<TState, TArgument> item, CancellationToken cancellationToken)
        where TState : notnull
    {
        var admission = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var (version, lane) = (item.Version, item.Lane);
        item.Admission = admission;
        try
        {
            if (!core.Enqueue(item))
            {
                item.End(core.RunByCaller(item));
                return;
            }
        }
        catch (PoolOverloadedException)
        {
            item.Recycle();
            throw;
        }

        var registration = cancellationToken.UnsafeRegister(
            static (state, token) =>
            {
                var (core, waiting, version, lane) = ((WorkerCore, WorkItem, long, LaneQueue?))state!;
                core.Drops.CancelAdmission(waiting, version, lane, token);
            },
            (core, (WorkItem)item, version, lane));
        try
        {
            await admission.Task.ConfigureAwait(false);
        }
        finally
        {
            // Not disposed, which would wait for a callback in progress: it notifies the observer, which may block.
            registration.Unregister();
        }
    }
}
