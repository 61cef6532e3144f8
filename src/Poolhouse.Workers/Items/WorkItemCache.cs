namespace Poolhouse.Workers.Items;

/// <summary>Keeps work items for reuse: one cache per type, shared by all pools.</summary>
internal static class WorkItemCache
{
    // Each item takes about 150 bytes.
    private const int MaxRetained = 4096;

    public static ObjectPoolOptions Options() => new() { MaxRetained = MaxRetained, IsReported = false };
}
