namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>How far a figure moved between two runs.</summary>
internal readonly record struct Movement(double Then, double Now)
{
    /// <summary>The larger value over the smaller one; infinite if one of them is 0 or never happened.</summary>
    public double Factor => Then.Equals(Now) ? 1 : Math.Max(Then, Now) / Math.Min(Then, Now);

    private double Distance => Then.Equals(Now) ? 0 : Math.Abs(Now - Then);

    /// <summary>Whether it is within what another figure, whose code is the same in both runs, moved by.</summary>
    public bool IsWithin(Movement other) => other.Factor >= Factor && other.Distance >= Distance;
}
