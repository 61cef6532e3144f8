using System.Globalization;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Leases;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine;

/// <summary>
/// Creates the exceptions for callers that got no item. The messages name the limit, the counts and the setting to change.
/// </summary>
internal static class RentErrors
{
    public static ObjectDisposedException Closed(string pool) => new(
        pool,
        $"Pool '{pool}' was disposed or is being drained: it can no longer be rented from. Outstanding leases may still be " +
        "used and ended.");

    /// <summary>Throws if a lease, active or not, is of another pool.</summary>
    public static void ThrowIfForeign<T>(Lease<T> lease, ILeaseOwner<T> owner)
    {
        if (lease.Slot is { } slot && slot.Owner != owner)
        {
            throw new ArgumentException(
                $"The lease belongs to pool '{slot.Owner.Name}', not to pool '{owner.Name}'.", nameof(lease));
        }
    }

    /// <param name="runtime">The pool in which the caller waited.</param>
    /// <param name="elapsed">How long the caller waited.</param>
    /// <param name="trace">Where the caller is, if leases are tracked.</param>
    public static Exception TimedOut<T>(ResourceRuntime<T> runtime, TimeSpan elapsed, LeaseTrace? trace)
        where T : notnull => TimedOut(runtime, elapsed, trace, runtime);

    /// <param name="runtime">The pool in which the caller waited.</param>
    /// <param name="elapsed">How long the caller waited.</param>
    /// <param name="trace">Where the caller is, if leases are tracked.</param>
    /// <param name="reported">The pool whose statistics and leases the exception shows.</param>
    /// <returns>A <see cref="PoolTimeoutException"/>, or in an outage the exception for that.</returns>
    public static Exception TimedOut<T, TReported>(
        ResourceRuntime<T> runtime, TimeSpan elapsed, LeaseTrace? trace, ResourceRuntime<TReported> reported)
        where T : notnull
        where TReported : notnull
    {
        var phase = runtime.Core.Readings.GetPhase();
        var statistics = runtime.GetStatistics();
        if (phase != RentPhase.Suspended && statistics.Outage is { } outage)
        {
            return Unavailable(runtime, elapsed, outage, reported.Report(reported.GetStatistics()));
        }

        var shown = reported.Report(ReferenceEquals(reported, runtime) ? statistics : reported.GetStatistics());
        var leases = reported.ReportLeases();
        var held = trace is null ? 0 : runtime.Core.Readings.CountLeasesOf(trace);
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Pool '{runtime.Name}': no item within {Seconds(elapsed)} " +
            $"({CountsAndLeases(runtime.Limit, statistics, leases)}). {Nested(held)}{Advice(phase, runtime.Limit)}");
        return new PoolTimeoutException(message, runtime.Name, phase, elapsed, shown, leases, runtime.Core.Readings.LackOfRoom);
    }

    public static PoolOverloadedException Overloaded<T>(ResourceRuntime<T> runtime)
        where T : notnull
    {
        var statistics = runtime.GetStatistics();
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Pool '{runtime.Name}': rejected at once, because MaxWaiters ({runtime.Settings.MaxWaiters}) is reached " +
            $"({Counts(runtime.Limit, statistics)}). Reduce the number of concurrent callers, hold leases for less time, or " +
            $"raise {runtime.Limit.AnyOr("MaxWaiters")}.");
        return new PoolOverloadedException(message, runtime.Name, TimeSpan.Zero, runtime.Report(statistics));
    }

    public static PoolOverloadedException Shed<T>(ResourceRuntime<T> runtime, TimeSpan elapsed)
        where T : notnull
    {
        var statistics = runtime.GetStatistics();
        var overload = runtime.Settings.Options.Overload;
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Pool '{runtime.Name}': shed after {Seconds(elapsed)}, because every caller of the last " +
            $"{Seconds(overload?.Interval ?? default)} (Overload.Interval) " +
            $"waited longer than {Seconds(overload?.Target ?? default)} (Overload.Target) " +
            $"({Counts(runtime.Limit, statistics)}). The pool is overloaded: reduce the load, hold leases for less time, raise " +
            $"{runtime.Limit.Any}, or raise Overload.Target if such waits are acceptable.");
        return new PoolOverloadedException(message, runtime.Name, elapsed, runtime.Report(statistics));
    }

    /// <param name="runtime">The pool in which the caller waited.</param>
    /// <param name="elapsed">How long the caller waited.</param>
    /// <param name="failure">The last failure when the wait ended.</param>
    /// <param name="since">When the outage began.</param>
    public static PoolUnavailableException Unavailable<T>(
        ResourceRuntime<T> runtime, TimeSpan elapsed, Exception failure, long since)
        where T : notnull
    {
        // The outage may have ended meanwhile.
        var statistics = runtime.GetStatistics();
        var lasted = runtime.Clock.Now - since;
        var outage = statistics.Outage
            ?? new PoolOutage(runtime.Clock.UtcBefore(lasted), runtime.Clock.Span(lasted), failure, TimeSpan.Zero);
        return Unavailable(runtime, elapsed, outage, runtime.Report(statistics));
    }

    /// <param name="runtime">The pool in which the caller waited.</param>
    /// <param name="elapsed">How long the caller waited.</param>
    /// <param name="outage">The outage.</param>
    /// <param name="statistics">The statistics that the exception shows.</param>
    public static PoolUnavailableException Unavailable<T>(
        ResourceRuntime<T> runtime, TimeSpan elapsed, PoolOutage outage, PoolStatistics statistics)
        where T : notnull
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Pool '{runtime.Name}': no item within {Seconds(elapsed)}, because none could be created for " +
            $"{Seconds(outage.Duration)}. See the inner exception for the last failure; the pool retries in " +
            $"{Seconds(outage.RetryAfter)}. Raise OutageTimeout if callers should wait longer for the end of an outage.");
        return new PoolUnavailableException(message, runtime.Name, elapsed, outage, statistics);
    }

    private static string Counts(CapacityLimit limit, ResourcePoolStatistics now)
    {
        var counts = string.Create(
            CultureInfo.InvariantCulture,
            $"{limit.Product} {now.MaxSize}: {now.Leased} leased, {now.Idle} idle, {now.Creating} creating, {now.Validating} " +
            $"validating, {now.Resetting} resetting, {now.Destroying} destroying; {now.Waiting} waiting");
        return now.Leased == 0 ? counts : $"{counts}; oldest lease {Seconds(now.OldestLease)}";
    }

    private static string CountsAndLeases(
        CapacityLimit limit, ResourcePoolStatistics now, IReadOnlyList<LeaseSnapshot> leases) =>
        leases.Count == 0 ? Counts(limit, now) : $"{Counts(limit, now)}; oldest leases: {string.Join("; ", leases)}";

    private static string Nested(int held) => held == 0
        ? string.Empty
        : string.Create(
            CultureInfo.InvariantCulture,
            $"This asynchronous flow, or one that contains it, already holds {held} of them and waits for another: such " +
            $"callers can deadlock each other. Rent once and pass the lease on. ");

    private static string Advice(RentPhase phase, CapacityLimit limit) => phase switch
    {
        RentPhase.Create =>
            "Items were being created, but not in time: find out why creation is slow, raise RentTimeout or " +
                "MaxConcurrentCreates, or set MinIdle.",
        RentPhase.Validate =>
            "An idle item was being validated, but not in time: find out why validation is slow, or lower ValidateTimeout.",
        RentPhase.Reset =>
            "A returned item was being reset, but not in time: find out why the reset is slow, or lower ResetTimeout.",
        RentPhase.Destroy =>
            "No capacity was released in time, because an item was being destroyed: find out why destruction is slow, or lower " +
                "DestroyTimeout.",
        RentPhase.Room =>
            "The server has no room for another item, see the inner exception, and none was returned in time. Hold items for " +
                "less time, raise the server's limit, or lower MaxSize where others use the server too.",
        RentPhase.Suspended => "The pool is suspended: no caller is served until Resume is called.",
        _ =>
            $"Items are requested faster than they are returned. Hold them for less time, raise {limit.Any}, or set MaxWaiters " +
                "to fail sooner.",
    };

    private static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}
