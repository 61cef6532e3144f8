using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>What was seen of a process while it was sampled.</summary>
internal sealed record Sample
{
    private const double MostOfTheTime = 0.8;

    /// <summary>How long it was sampled.</summary>
    public required TimeSpan Time { get; init; }

    /// <summary>How much of it allocations were sampled; the rates are extrapolated from that, here and below.</summary>
    public TimeSpan? AllocationsSeen { get; init; }

    /// <summary>How much of it collections were counted.</summary>
    public TimeSpan? CollectionsSeen { get; init; }

    /// <summary>How much of it new connections were counted, without those of native code.</summary>
    public TimeSpan? OpeningsSeen { get; init; }

    /// <summary>How much of it HTTP requests were counted.</summary>
    public TimeSpan? RequestsSeen { get; init; }

    /// <summary>The processors that it used on average.</summary>
    public double Cores { get; init; }

    /// <summary>The bytes that it allocated a second.</summary>
    public double Allocated { get; init; }

    /// <summary>The part of them on the large object heap.</summary>
    public double AllocatedLarge { get; init; }

    /// <summary>The part of what was allocated by which the heap grew, from 0 to 1; null if no collection tells.</summary>
    public double? Kept { get; init; }

    /// <summary>Collections by generation.</summary>
    public IReadOnlyList<int> Collections { get; init; } = [0, 0, 0];

    /// <summary>The part of the time in which collections stopped all threads, from 0 to 1.</summary>
    public double Paused { get; init; }

    /// <summary>Where it allocates, the most first.</summary>
    public IReadOnlyList<AllocationSite> Sites { get; init; } = [];

    public IReadOnlyList<HttpHost> Http { get; init; } = [];

    /// <summary>The addresses that it connects to, the most connections first.</summary>
    public IReadOnlyList<Peer> Peers { get; init; } = [];

    public Occurrences LookUps { get; init; } = Occurrences.None;

    /// <summary>Threads that were created, with those of the thread pool.</summary>
    public Occurrences Threads { get; init; } = Occurrences.None;

    /// <summary>The part of them that the application created itself, from 0 to 1.</summary>
    public double ThreadsOfApp { get; init; }

    /// <summary>Where it creates threads; empty if it is not known.</summary>
    public string ThreadSite { get; init; } = "";

    public ArrayPoolUse ArrayPool { get; init; } = new();

    /// <summary>Counters of database providers, by name, a second.</summary>
    public IReadOnlyDictionary<string, double> Counters { get; init; } = new Dictionary<string, double>(StringComparer.Ordinal);

    /// <summary>The pools of Poolhouse.</summary>
    public IReadOnlyList<Diagnosis> Pools { get; init; } = [];

    /// <summary>What a finding says about figures that were counted for a part of the time.</summary>
    public string Extrapolated(TimeSpan? seen) => seen < Time * MostOfTheTime
        ? $" (extrapolated from {Units.Digits(seen.Value.TotalSeconds)} s)" : "";

    public double PerSecond(double count) => count / Math.Max(Time.TotalSeconds, 0.001);
}
