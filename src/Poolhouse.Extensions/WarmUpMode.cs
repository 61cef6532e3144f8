namespace Poolhouse.Extensions;

/// <summary>When a pool is filled, relative to the start of the host.</summary>
public enum WarmUpMode
{
    /// <summary>In the background. The host starts without waiting, and a failure is only logged.</summary>
    Background,

    /// <summary>
    /// Before the server listens. If it fails or takes longer than its timeout, a warning is logged, and the host starts.
    /// </summary>
    BeforeStart,

    /// <summary>Before the server listens. If it fails or takes longer than its timeout, the host does not start.</summary>
    OrFailStart,
}
