using System.Globalization;
using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings for the parents that all nested pools have in common.</summary>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public abstract class NestedParentOptions
{
    /// <summary>The default of <see cref="MaxChildrenPerParent"/>.</summary>
    public const int DefaultMaxChildrenPerParent = 100;

    private protected NestedParentOptions()
    {
    }

    /// <summary>The settings of the parents.</summary>
    /// <value>
    /// Required; not null. <see cref="ResourcePoolOptions.MaxSize"/> limits the parents alive,
    /// <see cref="ResourcePoolOptions.MinIdle"/> is how many are kept active even with few children, a parent without
    /// children is destroyed after <see cref="ResourcePoolOptions.IdleTimeout"/>, one that is older than
    /// <see cref="ResourcePoolOptions.MaxLifetime"/> is replaced, and every <see cref="ResourcePoolOptions.KeepAliveInterval"/>
    /// the policy's KeepAliveAsync is called for each active parent. Callers never wait for a parent, but for a child: waiting,
    /// leak detection, and the handling of a failed creation (of either) are configured in the settings of the children.
    /// <see cref="ResourcePoolOptions.MaxUses"/> must be <see cref="int.MaxValue"/>, its default.
    /// </value>
    public required ResourcePoolOptions ParentPool { get; set; }

    /// <summary>
    /// The maximum number of concurrent children of a parent, for instance the channels that a server allows on a connection.
    /// </summary>
    /// <value>
    /// 100 by default; 1 to 1,000,000. Multiplied by the MaxSize of <see cref="ParentPool"/>, it must not exceed 1,000,000.
    /// </value>
    public int MaxChildrenPerParent { get; set; } = DefaultMaxChildrenPerParent;

    /// <summary>The maximum number of parents that get new children at once.</summary>
    /// <value>
    /// <c>null</c> by default: as many as may be alive. One fewer leaves room to create the successor of an old parent before
    /// that parent stops taking new ones; otherwise the others carry its load meanwhile, and a single parent is destroyed
    /// before its successor is created.
    /// </value>
    public int? MaxActiveParents { get; set; }

    /// <summary>How full a parent must be before another one is created.</summary>
    /// <value>0.5 by default, half of <see cref="MaxChildrenPerParent"/>; above 0, up to 1.</value>
    public double GrowAtLoad { get; set; } = 0.5;

    /// <summary>How the parent for a new child is selected.</summary>
    /// <value><see cref="SelectionStrategy.LeastOutstanding"/> by default: the one with the fewest children.</value>
    public SelectionStrategy Selection { get; set; } = SelectionStrategy.LeastOutstanding;

    /// <summary>The settings of the pool of the parents.</summary>
    internal SharedResourcePoolOptions ToShared(string name)
    {
        var parents = ParentPool.Copy();
        parents.Name = name;

        // The creation of a child is what waits and retries after a failure: one back-off is enough. The delays of the parents
        // apply to their minimum, which is created without children.
        parents.OutageTimeout = TimeSpan.Zero;
        parents.CallersBackOff = true;

        // The whole pool has its own callers and leases; a use of a parent lasts as long as the child created on it.
        parents.MaxWaiters = int.MaxValue;
        parents.Overload = null;
        parents.LeakThreshold = Timeout.InfiniteTimeSpan;
        parents.LabelLeases = false;
        parents.TrackLeases = false;
        return new SharedResourcePoolOptions
        {
            Pool = parents,
            MaxUsesPerItem = MaxChildrenPerParent,
            MaxActive = MaxActiveParents,
            GrowAtLoad = GrowAtLoad,
            Selection = Selection,
            NameOfMaxActive = nameof(MaxActiveParents),
            NameOfMaxUses = nameof(MaxChildrenPerParent),
        };
    }

    private protected void ValidateParentsChange(PoolOptionErrors errors, NestedParentOptions current) =>
        ParentPool?.ValidateChange(errors, prefix: "ParentPool.", current.ParentPool);

    private protected void ValidateParents(PoolOptionErrors errors, int? maxChildren)
    {
        errors.CheckNotNull(ParentPool, nameof(ParentPool));
        ParentPool?.Validate(errors, prefix: "ParentPool.");

        // Settings are compared with others only where those are valid, so that each mistake is reported once.
        var maxSizeIsValid = ParentPool?.MaxSize is >= 1 and <= ResourcePoolOptions.LargestMaxSize;
        var maxParents = maxSizeIsValid ? ParentPool!.MaxSize : 1;
        var maxPerParent = ResourcePoolOptions.LargestMaxSize / maxParents;
        errors.CheckRange(MaxChildrenPerParent, nameof(MaxChildrenPerParent), 1, maxPerParent);
        var maxActiveIsValid =
            MaxActiveParents is null || (MaxActiveParents >= 1 && (MaxActiveParents <= maxParents || !maxSizeIsValid));
        errors.Check(
            maxActiveIsValid,
            nameof(MaxActiveParents),
            MaxActiveParents,
            maxSizeIsValid ? $"null, or 1 to ParentPool.MaxSize ({maxParents})" : "null, or 1 to ParentPool.MaxSize");
        var active = MaxActiveParents ?? maxParents;
        errors.Check(
            !maxSizeIsValid || !maxActiveIsValid || ParentPool!.MinIdle <= active || ParentPool.MinIdle > maxParents,
            "ParentPool.MinIdle",
            ParentPool?.MinIdle,
            $"0 to MaxActiveParents ({active})");
        errors.Check(
            ParentPool is null or { MaxUses: int.MaxValue },
            "ParentPool.MaxUses",
            ParentPool?.MaxUses,
            "int.MaxValue: parents have no limit");
        errors.Check(GrowAtLoad is > 0 and <= 1, nameof(GrowAtLoad), GrowAtLoad, "above 0, up to 1");
        errors.Check(
            Enum.IsDefined(Selection), nameof(Selection), Selection, "LeastOutstanding, RoundRobin or PowerOfTwoChoices");
        var room = (long)active * MaxChildrenPerParent;
        errors.Check(
            maxChildren is null or > ResourcePoolOptions.LargestMaxSize || maxChildren <= room || !maxSizeIsValid
                || !maxActiveIsValid || MaxChildrenPerParent < 1 || MaxChildrenPerParent > maxPerParent,
            "ChildPool.MaxSize",
            maxChildren,
            string.Create(
                CultureInfo.InvariantCulture,
                $"at most {room:N0}, which is {active} parents (MaxActiveParents, ParentPool.MaxSize) times MaxChildrenPerParent"));
    }
}
