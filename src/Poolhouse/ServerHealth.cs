namespace Poolhouse;

/// <summary>The health of a server as seen by a server set of the package Poolhouse.Servers.</summary>
public enum ServerHealth
{
    /// <summary>The server has not failed since its last success.</summary>
    Up,

    /// <summary>The server failed: new items go to other servers while there are any.</summary>
    Avoided,

    /// <summary>The server failed, and the time for which it was avoided is over: one of the next creations tries it.</summary>
    RecheckDue,

    /// <summary>The server is no longer in the list, but still has items.</summary>
    Removed,
}
