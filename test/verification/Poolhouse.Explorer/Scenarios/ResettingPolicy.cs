namespace Poolhouse.Explorer.Scenarios;

/// <summary>Resets returned parts.</summary>
internal sealed class ResettingPolicy(TimeProvider clock) : PartPolicy(clock)
{
    public override ValueTask<bool> ResetAsync(Part item, CancellationToken cancellationToken)
    {
        var ends = ResetEnds;
        ResetEnds = default;
        LastUntil(ends);
        return new ValueTask<bool>(true);
    }
}
