using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>A unit of work that receives the worker's state.</summary>
internal abstract class StatefulItem<TState> : WorkItem
    where TState : notnull
{
    /// <summary>Runs the work, which may throw.</summary>
    public abstract void Run(TState state, Worker? worker);
}
