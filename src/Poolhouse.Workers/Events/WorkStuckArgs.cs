namespace Poolhouse.Workers;

/// <summary>Reports an item that has been running for longer than <see cref="WorkerPoolOptions.StuckThreshold"/>.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Worker">The number of the worker that runs the item.</param>
/// <param name="Label">
/// The label of the item: <see cref="WorkOptions.Label"/>, or the name of its method if no label was set.
/// </param>
/// <param name="RunningFor">How long the item has been running.</param>
/// <param name="AwaitsOwnPool">
/// Whether the item has queued another item to the same pool that has not started yet. If it blocks on that item, it may be
/// waiting for itself.
/// </param>
public readonly record struct WorkStuckArgs(IPool Pool, int Worker, string Label, TimeSpan RunningFor, bool AwaitsOwnPool);
