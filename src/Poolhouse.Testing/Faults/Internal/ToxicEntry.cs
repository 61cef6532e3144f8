namespace Poolhouse.Testing.Faults.Internal;

/// <summary>A toxic in the chain of a direction, from its addition to its removal.</summary>
#pragma warning disable CA1001 // The source is not disposed: it has no timer, and chunks in transit may still read it.
internal sealed class ToxicEntry(Toxic toxic)
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _removal = new();

    public Toxic Toxic => toxic;

    /// <summary>Cancelled by the removal, so that chunks that wait in the toxic continue.</summary>
    public CancellationToken Removed => _removal.Token;

    public void Remove() => _removal.Cancel();
}
