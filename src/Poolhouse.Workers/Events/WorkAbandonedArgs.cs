namespace Poolhouse.Workers;

/// <summary>
/// Reports an item that was still running when it, or the whole pool, was abandoned. Its thread ends when the item ends.
/// </summary>
/// <param name="Pool">The pool.</param>
/// <param name="Worker">The number of the worker that runs the item.</param>
/// <param name="Label">
/// The label of the item: <see cref="WorkOptions.Label"/>, or the name of its method if no label was set.
/// </param>
/// <param name="RanFor">How long the item had been running when it was abandoned.</param>
public readonly record struct WorkAbandonedArgs(IPool Pool, int Worker, string Label, TimeSpan RanFor)
{
    /// <summary>The phase that exceeded its time limit.</summary>
    /// <value>
    /// <see cref="WorkPhase.Run"/>, or <see cref="WorkPhase.Create"/> if the item had not started because its state was still
    /// being created. A state that is created ahead of demand is reported as an item, labelled "creation of a state ahead of
    /// demand".
    /// </value>
    public WorkPhase Phase { get; init; } = WorkPhase.Run;
}
