namespace Poolhouse.Workers.Threads;

/// <summary>Nothing to make, nothing that a failure could spoil.</summary>
internal sealed class NoStatePolicy : WorkerPolicy<NoState>
{
    public override NoState Create(CancellationToken cancellationToken) => default;

    public override bool Survives(NoState state, Exception failure) => true;
}
