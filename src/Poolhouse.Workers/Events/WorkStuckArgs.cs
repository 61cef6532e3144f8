namespace Poolhouse.Workers;

/// <summary>Reports an item that has been running for longer than <see cref="WorkerPoolOptions.StuckThreshold"/>.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Worker">The number of the worker that runs the item.</param>
/// <param name="Label">
/// The label of the item: <see cref="WorkOptions.Label"/>, or the name of its method if no label was set.
/// </param>
/// <param name="RunningFor">How long the item has been running.</param>
/// <param name="AwaitsOwnPool">
/// Whether work waits for the pool because of the item: another item that it, or asynchronous work that it started, has queued
/// and that has not started yet; or a callback for its thread. If the item blocks on that work, it waits for itself.
/// </param>
public readonly record struct WorkStuckArgs(IPool Pool, int Worker, string Label, TimeSpan RunningFor, bool AwaitsOwnPool);
