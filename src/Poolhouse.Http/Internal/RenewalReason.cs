namespace Poolhouse.Http.Internal;

/// <summary>Why a shard is replaced.</summary>
internal enum RenewalReason
{
    /// <summary>It has reached its lifetime.</summary>
    Lifetime,

    /// <summary>The addresses of a watched host have changed.</summary>
    Moved,

    /// <summary>The handler was cleared.</summary>
    Cleared,
}
