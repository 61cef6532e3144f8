using System.Globalization;
using Poolhouse.Resources.Engine.Waiting;

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

    /// <param name="report">The pool in which the caller waited.</param>
    /// <param name="elapsed">How long the caller waited.</param>
    /// <param name="leases">The oldest leases of the pool.</param>
    /// <param name="held">How many leases the caller's flow holds, if leases are tracked.</param>
    /// <returns>A <see cref="PoolTimeoutException"/>, or in an outage the exception for that.</returns>
    public static Exception TimedOut(PoolReport report, TimeSpan elapsed, IReadOnlyList<LeaseSnapshot> leases, int held)
    {
        if (report.Phase != RentPhase.Suspended && report.Outage is { } outage)
        {
            return Unavailable(report, elapsed, outage);
        }

        IPoolEventLog.Current?.WaitFailed(report.Pool, report.Phase.ToString(), elapsed);
        var shown = leases.Count == 0 ? report.Counts : $"{report.Counts}; oldest leases: {string.Join("; ", leases)}";
        var message =
            $"Pool '{report.Pool}': no item within {Seconds(elapsed)} ({report.Product} {shown}). {Nested(held)}{Advice(report)}";
        return new PoolTimeoutException(
            message, report.Pool, report.Phase, elapsed, report.Statistics, leases, report.LackOfRoom);
    }

    /// <summary>The failure of a wait because items cannot be created.</summary>
    public static Exception Failed<TGrant>(PoolReport report, Waiter<TGrant> waiter, TimeSpan elapsed, PoolClock clock)
        where TGrant : class
    {
        if (waiter.FailingSince == PoolClock.Never)
        {
            return waiter.Failure!;
        }

        // The outage may have ended meanwhile.
        var lasted = clock.Now - waiter.FailingSince;
        var outage = report.Outage
            ?? new PoolOutage(clock.UtcBefore(lasted), clock.Span(lasted), waiter.Failure!, TimeSpan.Zero);
        return Unavailable(report, elapsed, outage);
    }

    public static PoolOverloadedException Overloaded(PoolReport report, int maxWaiters)
    {
        IPoolEventLog.Current?.WaitFailed(report.Pool, "Overload", TimeSpan.Zero);
        var message =
            $"Pool '{report.Pool}': rejected at once, because MaxWaiters ({maxWaiters}) is reached " +
            $"({report.Product} {report.Counts}). Reduce the number of concurrent callers, hold leases for less time, or " +
            $"raise {string.Join(", ", report.Limits)} or MaxWaiters.";
        return new PoolOverloadedException(message, report.Pool, TimeSpan.Zero, report.Statistics);
    }

    public static PoolOverloadedException Shed(PoolReport report, TimeSpan elapsed, OverloadOptions? overload)
    {
        IPoolEventLog.Current?.WaitFailed(report.Pool, "Overload", elapsed);
        var message =
            $"Pool '{report.Pool}': shed after {Seconds(elapsed)}, because every caller of the last " +
            $"{Seconds(overload?.Interval ?? default)} (Overload.Interval) " +
            $"waited longer than {Seconds(overload?.Target ?? default)} (Overload.Target) " +
            $"({report.Product} {report.Counts}). The pool is overloaded: reduce the load, hold leases for less time, raise " +
            $"{report.AnyLimit}, or raise Overload.Target if such waits are acceptable.";
        return new PoolOverloadedException(message, report.Pool, elapsed, report.Statistics);
    }

    /// <param name="report">The pool in which the caller waited.</param>
    /// <param name="elapsed">How long the caller waited.</param>
    /// <param name="outage">The outage.</param>
    public static PoolUnavailableException Unavailable(PoolReport report, TimeSpan elapsed, PoolOutage outage)
    {
        IPoolEventLog.Current?.WaitFailed(report.Pool, "Outage", elapsed);
        var message =
            $"Pool '{report.Pool}': no item within {Seconds(elapsed)}, because none could be created for " +
            $"{Seconds(outage.Duration)}. See the inner exception for the last failure; the pool retries in " +
            $"{Seconds(outage.RetryAfter)}. Raise OutageTimeout if callers should wait longer for the end of an outage.";
        return new PoolUnavailableException(message, report.Pool, elapsed, outage, report.Statistics);
    }

    private static string Nested(int held) => held == 0
        ? string.Empty
        : $"This asynchronous flow, or one that contains it, already holds {held} of them and waits for another: such callers " +
            "can deadlock each other. Rent once and pass the lease on. ";

    private static string Advice(PoolReport report) => report.Phase switch
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
        RentPhase.Room when report.LackOfRoom is null =>
            "The budget of the pool allows no further item, and none was returned in time. Hold items for less time, raise the " +
                "limit that the processes share, or run fewer of them.",
        RentPhase.Room =>
            "The server has no room for another item, see the inner exception, and none was returned in time. Hold items for " +
                "less time, raise the server's limit, or lower MaxSize where others use the server too.",
        RentPhase.Suspended => "The pool is suspended: no caller is served until Resume is called.",
        _ =>
            $"Items are requested faster than they are returned. Hold them for less time, raise {report.AnyLimit}, or set MaxWaiters " +
                "to fail sooner.",
    };

    public static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}
