using Poolhouse.Kernel;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>The settings of the two pools that a shared pool consists of: its items, and the uses of them.</summary>
internal static class SharedPoolParts
{
    /// <summary>The number of slots created in the background ahead of demand, so that a first TryRent finds one.</summary>
    public const int IdleUses = 16;

    // The items are leased for a long time; the item set retains and probes them.
    public static ResourcePoolOptions ForItems(ResourcePoolOptions options, string name, WorkScheduler scheduler)
    {
        var items = options.Copy();
        items.Name = name;
        items.MinIdle = 0;

        // Each caller has a limit of its own (SharedItemWaits); only zero is one for the creation.
        items.OutageTimeout = options.OutageTimeout == TimeSpan.Zero ? TimeSpan.Zero : Timeout.InfiniteTimeSpan;
        items.MaxWaiters = int.MaxValue;
        items.Overload = null;
        items.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        items.LeakThreshold = Timeout.InfiniteTimeSpan;
        items.LabelLeases = false;
        items.TrackLeases = false;
        items.Observer = PartialObserver.OfItems(options.Observer);
        items.Scheduler = scheduler;
        return items;
    }

    public static ResourcePoolOptions ForUses(SharedResourcePoolOptions options, string name, bool isPart)
    {
        var uses = options.Pool.Copy();
        uses.Name = name;
        uses.MaxSize = (options.MaxActive ?? options.Pool.MaxSize) * options.MaxUsesPerItem;
        (uses.MinIdle, uses.MinIdleCountsAll) = (Math.Min(IdleUses, uses.MaxSize), false);
        uses.IdleTimeout = Timeout.InfiniteTimeSpan;
        uses.MaxLifetime = Timeout.InfiniteTimeSpan;
        uses.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        uses.Observer = PartialObserver.OfCallers(options.Pool.Observer);
        if (isPart)
        {
            // The pool as a whole has its own callers and leases; these uses last as long as the children created on the items.
            uses.Observer = null;
            uses.Reporter = SilentReporter.Instance;
            uses.MaxWaiters = int.MaxValue;
            uses.Overload = null;
            uses.LeakThreshold = Timeout.InfiniteTimeSpan;
            uses.LabelLeases = false;
            uses.TrackLeases = false;
        }

        return uses;
    }

    /// <summary>The settings that the number of uses is the product of.</summary>
    public static CapacityLimit LimitOf(SharedResourcePoolOptions options, bool isPart) => isPart
        ? new(options.MaxActive is null ? "MaxSize" : "MaxActiveParents", "MaxChildrenPerParent")
        : new(options.MaxActive is null ? "MaxSize" : nameof(options.MaxActive), nameof(options.MaxUsesPerItem));
}
