using System.Text.Json.Serialization;

namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>What one rival took in one cell.</summary>
internal sealed record Measurement
{
    public required string Experiment { get; init; }

    public required string Scenario { get; init; }

    public required string Rival { get; init; }

    public required int Threads { get; init; }

    /// <summary>The other conditions, in the order of the experiment's parameter names.</summary>
    public required IReadOnlyList<long> Parameters { get; init; }

    /// <summary>Wall time of a round over all operations of all threads: the median of the rounds.</summary>
    public required double Nanoseconds { get; init; }

    public required double Fastest { get; init; }

    public required double Slowest { get; init; }

    /// <summary>Bytes that the process allocated, over all operations: the median of the rounds.</summary>
    public required double BytesPerOperation { get; init; }

    public required int Rounds { get; init; }

    public required long OperationsPerRound { get; init; }

    /// <summary>Bytes of input that a round read; 0 where there is none.</summary>
    public required long InputBytes { get; init; }

    /// <summary>How many threads ran the items of the last round; null where the threads that were measured did.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? ItemThreads { get; init; }

    /// <summary>Collections and pauses are of all rounds together.</summary>
    public required int Gen0 { get; init; }

    public required int Gen1 { get; init; }

    public required int Gen2 { get; init; }

    public required double PauseMilliseconds { get; init; }
}
