using System.Globalization;

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
        var parents = ParentPool.CopyForInnerPool(name);

        // The creation of a child is what waits and retries after a failure: one back-off is enough. The delays of the parents
        // apply to their minimum, which is created without children.
        parents.OutageTimeout = TimeSpan.Zero;
        parents.CallersBackOff = true;
        return Share(parents);
    }

    private protected void ValidateParentsChange(PoolOptionErrors errors, NestedParentOptions current) =>
        ParentPool?.ValidateChange(errors, prefix: "ParentPool.", current.ParentPool);

    private protected void ValidateParents(PoolOptionErrors errors, int? maxChildren)
    {
        Share(ParentPool).Validate(errors, prefix: string.Empty);

        // Compared only with valid settings, so that each mistake is reported once.
        var (maxParents, active) = (ParentPool?.MaxSize ?? 0, MaxActiveParents ?? ParentPool?.MaxSize ?? 0);
        var room = (long)active * MaxChildrenPerParent;
        var isComparable = maxParents is >= 1 and <= ResourcePoolOptions.LargestMaxSize && active >= 1 && active <= maxParents
            && MaxChildrenPerParent >= 1 && MaxChildrenPerParent <= ResourcePoolOptions.LargestMaxSize / maxParents;
        errors.Check(
            maxChildren is null or > ResourcePoolOptions.LargestMaxSize || maxChildren <= room || !isComparable,
            "ChildPool.MaxSize",
            maxChildren,
            string.Create(
                CultureInfo.InvariantCulture,
                $"at most {room:N0}, that is {active:N0} (MaxActiveParents, ParentPool.MaxSize) times MaxChildrenPerParent"));
    }

    private SharedResourcePoolOptions Share(ResourcePoolOptions parents) => new()
    {
        Pool = parents,
        MaxUsesPerItem = MaxChildrenPerParent,
        MaxActive = MaxActiveParents,
        GrowAtLoad = GrowAtLoad,
        Selection = Selection,
        NameOfPool = nameof(ParentPool),
        NameOfMaxActive = nameof(MaxActiveParents),
        NameOfMaxUses = nameof(MaxChildrenPerParent),
    };
}
