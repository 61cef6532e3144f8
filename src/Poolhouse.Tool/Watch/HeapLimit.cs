namespace Poolhouse.Tool.Watch;

/// <summary>
/// A limit of the managed heap of this process until it is disposed of. An allocation beyond it throws
/// <see cref="OutOfMemoryException"/>.
/// </summary>
internal sealed class HeapLimit : IDisposable
{
    private const string Setting = "GCHeapHardLimit";

    private readonly object? _before = AppContext.GetData(Setting);

    /// <summary>Sets the limit.</summary>
    /// <param name="additional">The bytes that may be allocated beside what is in use already.</param>
    public HeapLimit(long additional)
    {
        var heap = GC.GetGCMemoryInfo();
        var used = Math.Max(GC.GetTotalMemory(forceFullCollection: false), heap.TotalCommittedBytes);
        Apply((ulong)Math.Min(used + additional, heap.TotalAvailableMemoryBytes));
    }

    public void Dispose() => Apply(_before ?? 0UL);

    private static void Apply(object limit)
    {
        AppContext.SetData(Setting, limit);
        try
        {
            GC.RefreshMemoryLimit();
        }
        catch (InvalidOperationException)
        {
            // More is in use already: the old limit stays.
        }
    }
}
