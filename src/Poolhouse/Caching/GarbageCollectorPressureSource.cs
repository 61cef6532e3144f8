namespace Poolhouse.Caching;

/// <summary>Checks the memory load after each gen-2 collection.</summary>
// A finalizable object without references is found dead by each collection of its generation; its finalizer resurrects it for the
// next one. After two collections it is in generation 2. The finalizer only queues the check: pools are trimmed, and items
// disposed, on the thread pool.
internal sealed class GarbageCollectorPressureSource : MemoryPressureSource
{
    private const double MediumShare = 0.7;
    private const double HighShare = 0.9;

    private int _watching;
    private int _checks;

    /// <summary>The number of checks triggered by collections.</summary>
    internal int Checks => Volatile.Read(ref _checks);

    internal override void Add(CacheEngine pool)
    {
        base.Add(pool);
        if (Interlocked.Exchange(ref _watching, 1) == 0)
        {
            _ = new CollectionWatcher(this);
        }
    }

    internal static MemoryPressure ToPressure(long memoryLoad, long highLoadThreshold)
    {
        if (highLoadThreshold <= 0)
        {
            return MemoryPressure.Low;
        }

        return ((double)memoryLoad / highLoadThreshold) switch
        {
            >= HighShare => MemoryPressure.High,
            >= MediumShare => MemoryPressure.Medium,
            _ => MemoryPressure.Low,
        };
    }

    // On a thread of the runtime, where an exception would end the process.
    private void OnCollected()
    {
        Interlocked.Increment(ref _checks);
        try
        {
            var info = GC.GetGCMemoryInfo(GCKind.Any);
            Report(ToPressure(info.MemoryLoadBytes, info.HighMemoryLoadThresholdBytes));
        }
        catch (OutOfMemoryException)
        {
            // Checked again after the next collection.
        }
    }

    private sealed class CollectionWatcher(GarbageCollectorPressureSource source)
    {
#pragma warning disable MA0055 // A finalizer is how a collection is detected.
        ~CollectionWatcher()
        {
            if (!Environment.HasShutdownStarted)
            {
                GC.ReRegisterForFinalize(this);
                try
                {
                    ThreadPool.UnsafeQueueUserWorkItem(static source => source.OnCollected(), source, preferLocal: false);
                }
                catch (OutOfMemoryException)
                {
                    // As above.
                }
            }
        }
#pragma warning restore MA0055
    }
}
