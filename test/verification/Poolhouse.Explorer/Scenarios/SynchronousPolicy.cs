namespace Poolhouse.Explorer.Scenarios;

/// <summary>Makes parts for callers that block on threads of their own.</summary>
internal sealed class SynchronousPolicy(TimeProvider clock) : PartPolicy(clock)
{
    public override Part Create(CancellationToken cancellationToken) => Make();
}
