namespace Poolhouse;

/// <summary>The state of a pool in one word. Of several that apply, a pool shows the last in this list.</summary>
/// <remarks>
/// Health checks, logs, pages and answers of <c>Poolhouse.Extensions</c> and <c>Poolhouse.AspNetCore</c>, metrics, and
/// <see cref="IPoolException.Condition"/> use the same states.
/// </remarks>
public enum PoolCondition
{
    /// <summary>Callers are served, or none has waited for longer than a second.</summary>
    Working,

    /// <summary>An item has been leased for longer than <see cref="ResourcePoolOptions.LeakThreshold"/>.</summary>
    Leaking,

    /// <summary>Items are requested faster than returned: the first caller has waited for longer than a second.</summary>
    Saturated,

    /// <summary>Callers wait, and the server has no room for another item.</summary>
    NoRoom,

    /// <summary>The last creation of an item failed.</summary>
    Outage,

    /// <summary>The pool was suspended: no caller is served until it is resumed.</summary>
    Suspended,

    /// <summary>The pool was disposed or is being drained, and items are still leased.</summary>
    Draining,

    /// <summary>The pool was disposed or has been drained.</summary>
    Closed,
}
