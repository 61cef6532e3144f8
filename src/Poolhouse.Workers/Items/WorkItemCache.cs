using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Items;

/// <summary>Keeps work items for reuse: one cache per type, shared by all pools.</summary>
internal static class WorkItemCache
{
    // Each item takes about 150 bytes.
    private const int MaxRetained = 4096;

    public static ObjectPoolOptions Options() => new() { MaxRetained = MaxRetained, IsReported = false };

    /// <summary>
    /// Keeps an item for reuse; if the thread is interrupted meanwhile, the item is left to the garbage collector.
    /// </summary>
    public static void Return<T>(TieredObjectPool<T> spares, T item)
        where T : class
    {
        try
        {
            spares.Return(item);
        }
        catch (ThreadInterruptedException)
        {
            CurrentThread.Interrupt();
        }
    }
}
