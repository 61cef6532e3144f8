namespace Poolhouse.Resources.Engine;

/// <summary>The optional hooks of a policy.</summary>
[Flags]
internal enum ResourceHooks
{
    None = 0,
    Create = 1,
    IsBroken = 2,
    Validate = 4,
    Reset = 8,
    ProveClean = 16,
    KeepAlive = 32,
    NeedsReset = 64,
    IsClosed = 128,

    /// <summary>Items can become unusable by an event elsewhere, such as the loss of the object they depend on.</summary>
    IsRevoked = 256,
}
