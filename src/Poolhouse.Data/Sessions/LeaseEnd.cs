namespace Poolhouse.Data.Sessions;

/// <summary>Specifies what happens to a connection when its wrapper is closed.</summary>
internal enum LeaseEnd
{
    Return,
    Discard,

    /// <summary>The lease continues until its transaction completes.</summary>
    Park,
}
