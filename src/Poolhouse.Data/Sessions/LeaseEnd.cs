namespace Poolhouse.Data.Sessions;

/// <summary>What happens to a connection when its wrapper is closed.</summary>
internal enum LeaseEnd
{
    Return,
    Discard,

    /// <summary>The lease continues until its transaction completes.</summary>
    Park,
}
