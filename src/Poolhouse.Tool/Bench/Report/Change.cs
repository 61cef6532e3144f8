using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The times of one rival in one cell, in an earlier run and in this one.</summary>
/// <param name="Experiment">What was measured.</param>
/// <param name="Then">The earlier run.</param>
/// <param name="Now">This run.</param>
/// <param name="Others">The median of the same ratio over the other rivals of the cell, which did not change; null without
/// any.</param>
internal sealed record Change(Experiment Experiment, Measurement Then, Measurement Now, double? Others)
{
    /// <summary>This run's time over the earlier run's.</summary>
    public double Ratio => Now.Nanoseconds / Then.Nanoseconds;

    /// <summary>
    /// Whether the runs differ by more than their rounds: no round of one is as fast as the slowest, or fastest, of the other.
    /// </summary>
    public bool IsSlower => Ratio > Losses.Margin && Now.Fastest > Then.Slowest;

    public bool IsFaster => Ratio < 1 / Losses.Margin && Now.Slowest < Then.Fastest;

    public bool IsNoise => !IsSlower && !IsFaster;

    public string Judgement => IsSlower ? "slower" : IsFaster ? "faster" : "noise";
}
