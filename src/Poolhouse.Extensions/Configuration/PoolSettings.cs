using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions.Configuration;

/// <summary>Fills in what the container provides, unless the app has set it: name, clock, meter factory, observer.</summary>
internal static class PoolSettings
{
    public static void Complete(ResourcePoolOptions options, PoolContext context)
    {
        options.Name ??= context.Name;
        options.TimeProvider = context.ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? context.MeterFactory : null;
        options.Observer = context.Observe(options.Observer);
    }

    /// <summary>
    /// For the parents of a nested pool. A failure of a parent is reported as one of its child, so only the app's own observer is
    /// notified here.
    /// </summary>
    public static void CompleteParents(ResourcePoolOptions options, PoolContext context)
    {
        options.TimeProvider = context.ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? context.MeterFactory : null;
    }

    public static void Complete(WorkerPoolOptions options, PoolContext context)
    {
        options.Name ??= context.Name;
        options.TimeProvider = context.ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? context.MeterFactory : null;
        options.Observer = context.Observe(options.Observer);
    }

    public static void Complete(CacheOptions options, PoolContext context)
    {
        options.Name ??= context.Name;
        options.TimeProvider = context.ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? context.MeterFactory : null;
    }
}
