
namespace Poolhouse.Simulation;

/// <summary>The counts of the server and the callers, to compare with those of the pool.</summary>
internal sealed class Tally
{
    public long[] Destroyed { get; } = new long[(int)DestroyReason.PoolDisposed + 1];

    public long Opened { get; set; }

    public long Rents { get; set; }

    public int Held { get; set; }

    public long Detached { get; set; }

    public long DoubleReturns { get; set; }

    public long Timeouts { get; set; }

    public long Cancellations { get; set; }

    public long Refusals { get; set; }
}
