namespace Poolhouse.Workers.Items;

/// <summary>Keeps work items for reuse: one cache per type, shared by all pools.</summary>
internal static class WorkItemCache
{
    // A burst of this many waiting items allocates nothing if there was one before. Each takes less than 200 bytes, and those
    // that are not needed for some minutes (IdleTimeout), or when memory is low, are left to the garbage collector.
    private const int MaxRetained = 65_536;

    public static ObjectPoolOptions Options() => new() { MaxRetained = MaxRetained, IsReported = false };
}
