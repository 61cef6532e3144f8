using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>What stands in a queue: an item of work, or a plain post, which needs no object of its own.</summary>
/// <param name="Work">The item, or the delegate of the post; null where nothing stands.</param>
/// <param name="Argument">Given to the delegate of a post.</param>
// Two references, and not a third to what calls the delegate: from one core to another they go by the cache line.
internal readonly record struct WorkEntry(object? Work, object? Argument)
{
    // Cheaper to compare with than to ask what type the work is of.
    private static readonly object _none = new();

    public WorkEntry(WorkItem item)
        : this(item, _none)
    {
    }

    /// <summary>Whether nothing stands here.</summary>
    public bool IsNone => Work is null;

    /// <summary>Whether it is a plain post.</summary>
    public bool IsPost => Argument != _none && Work is not null;

    /// <summary>The item; null for a plain post.</summary>
    public WorkItem? Item => Argument == _none ? (WorkItem?)Work : null;
}
