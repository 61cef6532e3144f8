using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Items;

/// <summary>How items of work are kept for the next use: one cache for each type, for all pools.</summary>
internal static class WorkItemCache
{
    // Of about 150 bytes each.
    private const int MaxRetained = 4096;

    public static ObjectPoolOptions Options() => new() { MaxRetained = MaxRetained, IsReported = false };

    /// <summary>Keeps an item for its next use; if the thread is interrupted meanwhile, it is garbage.</summary>
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
