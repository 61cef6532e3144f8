namespace Poolhouse.Workers;

/// <summary>What stands in a queue: an item of work, or a plain post, which needs no object of its own.</summary>
/// <param name="Work">The item, or the delegate of the post; null where nothing stands.</param>
/// <param name="Poster">Calls the delegate; null for an item.</param>
/// <param name="Argument">Given to the delegate.</param>
internal readonly record struct WorkEntry(object? Work, Poster? Poster, object? Argument)
{
    public WorkEntry(WorkItem item)
        : this(item, null, null)
    {
    }

    /// <summary>Whether nothing stands here.</summary>
    public bool IsNone => Work is null;

    /// <summary>The item; null for a plain post.</summary>
    public WorkItem? Item => Poster is null ? (WorkItem?)Work : null;
}
