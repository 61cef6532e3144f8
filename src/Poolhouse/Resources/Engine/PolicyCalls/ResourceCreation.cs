namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>What a policy knows about one of its creations, for the pool that may have to abandon it.</summary>
internal abstract class ResourceCreation
{
    /// <summary>
    /// The earlier failure because of which the creation is waiting, to be reported instead of a timeout; otherwise null.
    /// </summary>
    public abstract Exception? Obstacle { get; }

    /// <summary>
    /// Called when the creation has exceeded its timeout and was abandoned: capacity that it holds may be used elsewhere. A
    /// creation that is cancelled because the pool is closed keeps holding its capacity.
    /// </summary>
    public abstract void Abandon();
}
