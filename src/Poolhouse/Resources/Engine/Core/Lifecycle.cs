namespace Poolhouse.Resources.Engine.Core;

/// <summary>Which callers a pool serves.</summary>
internal enum Lifecycle
{
    Open,

    /// <summary>Waiting callers are still served; new ones are rejected.</summary>
    Draining,
    Closed,
}
