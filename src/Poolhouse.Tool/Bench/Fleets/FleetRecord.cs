namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>What was seen of a fleet: what the server counted, what happened, and what the callers saw.</summary>
/// <param name="Samples">What the server counted, in the order of time.</param>
/// <param name="Events">What happened, in the order of time. The first is that all processes had started.</param>
/// <param name="End">When it was over.</param>
internal sealed record FleetRecord(IReadOnlyList<FleetSample> Samples, IReadOnlyList<FleetEvent> Events, double End)
{
    /// <summary>How long after an event shares need not be fair.</summary>
    public required double Settling { get; init; }

    /// <summary>The largest number of sessions in any sample.</summary>
    public int Most => Samples.Select(static sample => sample.Total).DefaultIfEmpty().Max();

    /// <summary>
    /// The lowest fairness in the times between events, without the first seconds of each: 1 if all processes hold the same
    /// (R. Jain, D. Chiu, W. Hawe, <i>A Quantitative Measure of Fairness</i>, 1984).
    /// </summary>
    public double Fairness => Phases().Select(static phase => FairnessOf(phase.Means)).DefaultIfEmpty(double.NaN).Min();

    /// <summary>How much less than the mean a process held in the same times, at most.</summary>
    public double Shortage =>
        Phases().Select(static phase => phase.Means.Average() - phase.Means.Min()).DefaultIfEmpty(double.NaN).Max();

    /// <summary>How long after a time the sessions of some processes are at least so many; infinity if never.</summary>
    public double Until(double from, IReadOnlyList<string> members, int sessions) =>
        Samples.Where(sample => sample.At >= from && sample.SumOf(members) >= sessions).Select(sample => sample.At - from)
            .DefaultIfEmpty(double.PositiveInfinity).First();

    /// <summary>The last sample before a time.</summary>
    public FleetSample Before(double time) => Samples.Last(sample => sample.At < time);

    /// <summary>What the processes that can share held on average from an event to the next, once it was divided.</summary>
    public double ShareAfter(int happened) => Phases().Single(phase => phase.Event == happened).Means.Average();

    private static double FairnessOf(IReadOnlyList<double> means) =>
        means.Sum() is var sum && sum > 0 ? sum * sum / (means.Count * means.Sum(static mean => mean * mean)) : 0;

    private IEnumerable<(int Event, IReadOnlyList<double> Means)> Phases()
    {
        for (var i = 0; i < Events.Count; i++)
        {
            var (from, to) = (Events[i].At + Settling, i + 1 < Events.Count ? Events[i + 1].At : End);
            var samples = Samples.Where(sample => sample.At >= from && sample.At < to).ToList();
            if (samples.Count > 0)
            {
                yield return (
                    i, [.. Events[i].Members.Select(member => samples.Average(sample => (double)sample.HeldBy(member)))]);
            }
        }
    }
}
