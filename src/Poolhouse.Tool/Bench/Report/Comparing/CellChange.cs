using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>What Poolhouse took in one cell, in an earlier run and in this one.</summary>
/// <param name="Experiment">What was measured.</param>
/// <param name="Then">The earlier run.</param>
/// <param name="Now">This run.</param>
/// <param name="Rivals">The other rivals of the cell, in both runs: their code did not change.</param>
internal sealed record CellChange(
    Experiment Experiment, Measurement Then, Measurement Now, IReadOnlyList<(Measurement Then, Measurement Now)> Rivals)
{
    /// <summary>Bytes of the process, divided by the operations, may differ by less than this.</summary>
    private const double BytesOfNoise = 1;

    /// <summary>This run's time over the earlier run's.</summary>
    public double Ratio => Now.Nanoseconds / Then.Nanoseconds;

    /// <summary>The median of the same ratio over the other rivals; null without any.</summary>
    public double? Others =>
        Rivals.Count == 0 ? null : Medians.Of(RatiosOfRivals.Skip(1));

    /// <summary>
    /// Whether the runs differ by more than their rounds (no round of one is as fast as the slowest, or fastest, of the other)
    /// and by more than for any other rival: what slows them down is the machine. Never with a single round.
    /// </summary>
    public bool IsSlower => HasRounds && Ratio > Losses.Margin * RatiosOfRivals.Max() && Now.Fastest > Then.Slowest;

    public bool IsFaster => HasRounds && Ratio < RatiosOfRivals.Min() / Losses.Margin && Now.Slowest < Then.Fastest;

    public bool IsNoise => !IsSlower && !IsFaster;

    public string Judgement => IsSlower ? "slower" : IsFaster ? "faster" : "noise";

    /// <summary>Whether it allocates clearly more or less than it did, and the other rivals do not.</summary>
    public bool HasOtherBytes
    {
        get
        {
            var own = BytesOf(Then, Now);
            return own.Factor > Losses.Margin && Math.Abs(own.Now - own.Then) > BytesOfNoise
                && !Rivals.Any(rival => own.IsWithin(BytesOf(rival.Then, rival.Now)));
        }
    }

    private bool HasRounds => Then.Rounds > 1 && Now.Rounds > 1;

    // The first is that of a rival which takes as long as then.
    private IEnumerable<double> RatiosOfRivals =>
        [1, .. Rivals.Select(rival => rival.Now.Nanoseconds / rival.Then.Nanoseconds)];

    private static Movement BytesOf(Measurement then, Measurement now) => new(then.BytesPerOperation, now.BytesPerOperation);
}
