namespace Poolhouse.Explorer.Scenarios;

/// <summary>Creates parts for callers that block, on dedicated threads.</summary>
internal sealed class SynchronousPolicy(TimeProvider clock) : PartPolicy(clock)
{
    public override Part Create(CancellationToken cancellationToken) => CreatePart();
}
