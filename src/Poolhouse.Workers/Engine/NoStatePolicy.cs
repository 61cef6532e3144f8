namespace Poolhouse.Workers.Engine;

/// <summary>The policy of pools without state: there is nothing to create, and no failure can break a state.</summary>
internal sealed class NoStatePolicy : WorkerPolicy<NoState>
{
    internal override bool ChecksStates => false;

    public override NoState Create(CancellationToken cancellationToken) => default;

    public override bool Survives(NoState state, Exception failure) => true;
}
