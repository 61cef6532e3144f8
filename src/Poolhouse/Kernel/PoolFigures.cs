using System.Collections.Frozen;
using System.Text.Json;

namespace Poolhouse.Kernel;

/// <summary>The figures of a pool that the instruments report. A figure that its kind of pool lacks is null or empty.</summary>
internal sealed record PoolFigures
{
    private static readonly FrozenDictionary<PoolCondition, string> _conditions = NamesOf<PoolCondition>();

    public PoolCondition Condition { get; init; }

    /// <summary>One for the condition of the pool and zero for the others: each value of a state has its series.</summary>
    public IEnumerable<(string Condition, long Count)> Conditions =>
        _conditions.Select(condition => (condition.Value, condition.Key == Condition ? 1L : 0L));

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

    // For snapshots of the event source.

    /// <summary>The highest number of items that were alive at once.</summary>
    public long Peak { get; init; }

    public TimeSpan OldestWait { get; init; }

    public TimeSpan OldestLease { get; init; }

    public TimeSpan WaitTime { get; init; }

    public TimeSpan CreateTime { get; init; }

    public TimeSpan UseTime { get; init; }

    /// <summary>How long the outage in progress has lasted; zero if there is none.</summary>
    public TimeSpan OutageDuration { get; init; }

    /// <summary>The type of the exception that the last creation threw, in an outage.</summary>
    public string? LastFailure { get; init; }

    public TimeSpan RetryAfter { get; init; }

    /// <summary>The options of the pool, if its statistics have them.</summary>
    public object? Settings { get; init; }

    public static IEnumerable<(string Outcome, long Count)> Failed(long timeouts, long cancellations, long shed) =>
        [("timeout", timeouts), ("cancelled", cancellations), ("shed", shed)];

    /// <summary>The values of an enum with their names as tags: ValidationFailed becomes validation_failed.</summary>
    public static FrozenDictionary<TEnum, string> NamesOf<TEnum>()
        where TEnum : struct, Enum => Enum.GetValues<TEnum>().ToFrozenDictionary(
            static value => value, static value => JsonNamingPolicy.SnakeCaseLower.ConvertName(value.ToString()));
}
