using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>An entry in a queue: a work item, or a plain post, which needs no object of its own.</summary>
/// <param name="Work">The item, or the delegate of the post; null if the entry is empty.</param>
/// <param name="Argument">The argument that is passed to the delegate of a post.</param>
// Two references, without a third one to the invoker, because entries move from core to core by the cache line.
internal readonly record struct WorkEntry(object? Work, object? Argument)
{
    // Comparing with it is cheaper than testing the type of the work.
    private static readonly object _none = new();

    public WorkEntry(WorkItem item)
        : this(item, _none)
    {
    }

    /// <summary>Whether the entry is empty.</summary>
    public bool IsNone => Work is null;

    /// <summary>Whether the entry is a plain post.</summary>
    public bool IsPost => Argument != _none && Work is not null;

    /// <summary>The item; null for a plain post.</summary>
    public WorkItem? Item => Argument == _none ? (WorkItem?)Work : null;
}
