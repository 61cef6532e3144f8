using Poolhouse.Caching.Misuse;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>What the caches of objects, arrays and streams have in common: everything but the way to their items.</summary>
internal class CacheCore<T> : IPool, IDisposable
    where T : class
{
    private readonly PoolReporter _reporter;

    /// <param name="itemType">The type that names the pool if the settings do not.</param>
    /// <param name="settings">The settings, validated.</param>
    /// <param name="budget">How much may be retained, in units.</param>
    /// <param name="bytesPerUnit">What a unit is in statistics; 0 if it is no memory.</param>
    /// <param name="poison">Marks idle items in paranoid mode; null if they are not marked.</param>
    /// <param name="destroy">Destroys an item; null if items are left to the garbage collector.</param>
    /// <param name="isReported">Whether the pool appears in metrics; false if it is part of another pool.</param>
    public CacheCore(
        Type itemType, CacheOptions settings, long budget, long bytesPerUnit, ItemPoison<T>? poison = null,
        Func<object, ValueTask>? destroy = null, bool isReported = true)
    {
        Name = settings.Name ?? PoolNames.For(itemType);
        Engine = new CacheEngine(new RetentionBudget(budget), settings, destroy);
        Statistics = new CacheStatistics(Engine, bytesPerUnit);
        var setting = settings.ParanoidSetting;
        Detector = setting.IsOn
            ? new MisuseDetector<T>(Name, setting, settings.TimeProvider, poison, isInternal: !isReported)
            : null;
        _reporter = isReported ? PoolReporter.Of(settings.Meter, settings.MeterFactory) : SilentReporter.Instance;
        _reporter.Add(this);
    }

    public string Name { get; }

    public bool IsDisposed => Engine.IsDisposed;

    public CacheEngine Engine { get; }

    public CacheStatistics Statistics { get; }

    /// <summary>Null unless in paranoid mode.</summary>
    public MisuseDetector<T>? Detector { get; }

    public CachePoolStatistics GetStatistics() => Statistics.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => Detector?.GetLeases(max) ?? LeaseSnapshot.None(max);

    public LeaseInfo GetInfo(LeaseSlot<T> slot) =>
        new(slot.Uses, Engine.Time.GetElapsedTime(slot.CreatedAt), TimeSpan.Zero);

    public LeaseSnapshot? FindLease(LeaseSlot<T> slot) => Detector?.FindLease(slot.Item);

    public void CountDoubleReturn() => Statistics.CountDoubleEnd();

    public int Trim()
    {
        Statistics.UpdatePeak();
        return Engine.Trim();
    }

    public void Dispose()
    {
        Statistics.UpdatePeak();
        Engine.Dispose();
        EndReport();
    }

    /// <summary>No longer reports the pool to metrics.</summary>
    public void EndReport() => _reporter.Remove(this);

    /// <summary>Counts an item that was created because a rent found none.</summary>
    public void CountMiss(ref CacheCounters counters)
    {
        counters.Misses++;
        counters.Created++;
        Statistics.UpdatePeakOccasionally(counters.Created);
    }
}
