namespace Poolhouse.Benchmarks.Bars;

/// <summary>A promise of speed: ours against a rival, measured in turns in one process.</summary>
/// <param name="Name">What is measured.</param>
/// <param name="Rival">What it is measured against.</param>
/// <param name="Limit">The largest ratio of ours to the rival's that holds; null: no promise, the ratio is only shown.</param>
/// <param name="MeasureOurs">Nanoseconds a pair for so many calls.</param>
/// <param name="MeasureRival">The same for the rival.</param>
/// <param name="BytesOfOurs">Bytes a pair; null where threads make it meaningless.</param>
internal sealed record Bar(
    string Name,
    string Rival,
    double? Limit,
    Func<int, double> MeasureOurs,
    Func<int, double> MeasureRival,
    Func<double>? BytesOfOurs)
{
    /// <summary>The bytes that ours may allocate; none unless this says otherwise.</summary>
    public Func<double>? BytesAllowed { get; init; }

    /// <summary>The shares of rents that had to wait, ours and the rival's, where both are to wait for nearly all.</summary>
    public Func<(double Ours, double Rival)>? Waits { get; init; }

    /// <summary>What else is worth knowing, behind the figures.</summary>
    public Func<string?>? Remark { get; init; }

    /// <summary>Nanoseconds a pair of a bare stack, for so many calls; null where none would do what the pool does.</summary>
    public Func<int, double>? MeasureBareStack { get; init; }

    /// <summary>How many pairs a call is.</summary>
    public int PairsPerCall { get; init; } = Timing.PairsPerCall;

    public static Bar Of<TOurs, TRival>(string name, string rival, double? limit, int threads = 1)
        where TOurs : struct, IOperation
        where TRival : struct, IOperation => new(
            name,
            rival,
            limit,
            calls => Timing.NanosecondsPerPair<TOurs>(threads, calls),
            calls => Timing.NanosecondsPerPair<TRival>(threads, calls),
            threads == 1 ? Timing.BytesPerPair<TOurs> : null)
        {
            PairsPerCall = TOurs.PairsPerCall,
        };

    public static Bar Of<TOurs, TRival, TBareStack>(string name, string rival, double? limit, int threads = 1)
        where TOurs : struct, IOperation
        where TRival : struct, IOperation
        where TBareStack : struct, IOperation => Of<TOurs, TRival>(name, rival, limit, threads) with
        {
            MeasureBareStack = calls => Timing.NanosecondsPerPair<TBareStack>(threads, calls),
        };
}
