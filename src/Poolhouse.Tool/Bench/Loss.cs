using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>A cell in which a rival was faster.</summary>
internal sealed record Loss(Measurement Own, Measurement Best)
{
    public double Ratio => Own.Nanoseconds / Best.Nanoseconds;
}
