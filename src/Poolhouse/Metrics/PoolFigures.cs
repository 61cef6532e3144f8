using System.Collections.Frozen;
using System.Text;

namespace Poolhouse.Metrics;

/// <summary>The figures of a pool that the instruments report. A figure that its kind of pool lacks is null or empty.</summary>
internal sealed record PoolFigures
{
    private static readonly FrozenDictionary<DestroyReason, string> _reasons = NamesOf<DestroyReason>();
    private static readonly FrozenDictionary<WorkerDestroyReason, string> _workerReasons = NamesOf<WorkerDestroyReason>();

    public required IEnumerable<(string State, long Count)> States { get; init; }

    public required IEnumerable<(string Result, long Count)> Rents { get; init; }

    public required long Returned { get; init; }

    public long? Max { get; init; }

    public long? Created { get; init; }

    public long? CreateFailures { get; init; }

    public IEnumerable<(string Reason, long Count)> Destroyed { get; init; } = [];

    public long? IdleBytes { get; init; }

    public long? DoubleReturns { get; init; }

    public IEnumerable<(string Kind, long Count)> Misuses { get; init; } = [];

    public long? Waiting { get; init; }

    public IEnumerable<(string Outcome, long Count)> FailedWaits { get; init; } = [];

    public long? Leaks { get; init; }

    public static PoolFigures Of(PoolStatistics statistics) => statistics switch
    {
        CachePoolStatistics cache => Of(cache),
        ResourcePoolStatistics resources => Of(resources),
        SharedResourcePoolStatistics shared => Of(shared),
        WorkerPoolStatistics workers => Of(workers),
        _ => new PoolFigures
        {
            States = [("leased", statistics.Leased)],
            Rents = [("hit", statistics.Rented)],
            Returned = statistics.Returned,
        },
    };

    private static PoolFigures Of(CachePoolStatistics cache) => new()
    {
        States = [("idle", cache.Retained), ("leased", cache.Leased)],
        Rents = [("hit", cache.Hits), ("miss", cache.Misses)],
        Returned = cache.Returned,
        Created = cache.Created,
        Destroyed =
            [("surplus", cache.Surplus), ("refused", cache.Refused), ("trimmed", cache.Trimmed), ("discarded", cache.Discarded)],
        IdleBytes = cache.RetainedBytes,
        DoubleReturns = cache.DoubleReturns,
        Misuses = [("foreign_return", cache.ForeignReturns), ("write_after_return", cache.WritesAfterReturn)],
    };

    private static PoolFigures Of(ResourcePoolStatistics resources) => new()
    {
        States =
        [
            ("idle", resources.Idle),
            ("leased", resources.Leased),
            ("creating", resources.Creating),
            ("validating", resources.Validating),
            ("resetting", resources.Resetting),
            ("destroying", resources.Destroying),
        ],
        Rents = [("hit", resources.Hits), ("wait", resources.Waits)],
        Returned = resources.Returned,
        Max = resources.MaxSize,
        Created = resources.Created,
        CreateFailures = resources.CreateFailures,
        Destroyed = _reasons.Select(reason => (reason.Value, resources.DestroyedFor(reason.Key))),
        DoubleReturns = resources.DoubleReturns,
        Waiting = resources.Waiting,
        FailedWaits = Failed(resources.Timeouts, resources.Cancellations, resources.Shed),
        Leaks = resources.SuspectedLeaks,
    };

    // Without figures about items: the inner pool that holds them reports those.
    private static PoolFigures Of(SharedResourcePoolStatistics shared) => new()
    {
        States = [("leased", shared.Leased)],
        Rents = [("hit", shared.Hits), ("wait", shared.Waits)],
        Returned = shared.Returned,
        Max = shared.MaxLeased,
        DoubleReturns = shared.DoubleReturns,
        Waiting = shared.Waiting,
        FailedWaits = Failed(shared.Timeouts, shared.Cancellations, shared.Shed),
        Leaks = shared.SuspectedLeaks,
    };

    private static PoolFigures Of(WorkerPoolStatistics workers) => new()
    {
        States = [("idle", workers.IdleWorkers), ("leased", workers.Leased)],
        Rents = [("hit", workers.Hits), ("miss", workers.Misses)],
        Returned = workers.Returned,
        Max = workers.MaxWorkers,
        Created = workers.Created,
        CreateFailures = workers.CreateFailures,
        Destroyed = _workerReasons.Select(reason => (reason.Value, workers.DestroyedFor(reason.Key))),
        Waiting = workers.Waiting,
        FailedWaits = Failed(workers.Timeouts, workers.Cancellations, workers.Shed),
        Leaks = workers.Stuck,
    };

    private static IEnumerable<(string Outcome, long Count)> Failed(long timeouts, long cancellations, long shed) =>
        [("timeout", timeouts), ("cancelled", cancellations), ("shed", shed)];

    // ValidationFailed becomes validation_failed.
    private static FrozenDictionary<TEnum, string> NamesOf<TEnum>()
        where TEnum : struct, Enum => Enum.GetValues<TEnum>().ToFrozenDictionary(static value => value, static value =>
        {
            var name = new StringBuilder();
            foreach (var letter in value.ToString())
            {
                _ = char.IsUpper(letter) && name.Length > 0 ? name.Append('_') : name;
                name.Append(char.ToLowerInvariant(letter));
            }

            return name.ToString();
        });
}
