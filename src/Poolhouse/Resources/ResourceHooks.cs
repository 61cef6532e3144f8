namespace Poolhouse;

/// <summary>
/// The optional hooks of a <see cref="ResourcePolicy{T}"/>. A pool calls only those that the policy implements.
/// </summary>
[Flags]
public enum ResourceHooks
{
    /// <summary>None of the optional hooks.</summary>
    None = 0,

    /// <summary><see cref="ResourcePolicy{T}.Create"/>.</summary>
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

    /// <summary><see cref="ResourcePolicy{T}.NeedsReset"/>.</summary>
    NeedsReset = 64,

    /// <summary><see cref="ResourcePolicy{T}.IsBrokenAfterIdle"/>.</summary>
    IsBrokenAfterIdle = 128,
}
