namespace Poolhouse;

/// <summary>What a <see cref="ServerSet{TServer}"/> thinks of a server.</summary>
public enum ServerHealth
{
    /// <summary>It has not failed since its last success.</summary>
    Up,

    /// <summary>It failed: new items go to other servers while there are any.</summary>
    Avoided,

    /// <summary>It failed, and its time of being avoided is over: one of the next creations tries it.</summary>
    RecheckDue,

    /// <summary>It is no longer in the list, but items are still on it.</summary>
    Removed,
}
