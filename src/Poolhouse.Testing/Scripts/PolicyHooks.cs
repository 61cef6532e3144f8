namespace Poolhouse.Testing;

/// <summary>The optional hooks of a policy. A pool uses shorter code paths for a policy without them.</summary>
[Flags]
public enum PolicyHooks
{
    /// <summary>None: items are only created and destroyed.</summary>
    None = 0,

    /// <summary>The synchronous <see cref="ResourcePolicy{T}.Create"/>.</summary>
    Create = 1,

    /// <summary><see cref="ResourcePolicy{T}.IsBroken"/>.</summary>
    IsBroken = 2,

    /// <summary><see cref="ResourcePolicy{T}.ValidateAsync"/>.</summary>
    Validate = 4,

    /// <summary><see cref="ResourcePolicy{T}.ResetAsync"/>.</summary>
    Reset = 8,

    /// <summary><see cref="ResourcePolicy{T}.ProveCleanAsync"/>.</summary>
    ProveClean = 16,

    /// <summary><see cref="ResourcePolicy{T}.KeepAliveAsync"/>.</summary>
    KeepAlive = 32,

    /// <summary><see cref="ResourcePolicy{T}.IsBrokenAfterIdle"/>.</summary>
    IsBrokenAfterIdle = 128,
}
