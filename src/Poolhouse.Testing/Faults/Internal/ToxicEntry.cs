namespace Poolhouse.Testing.Faults.Internal;

/// <summary>A toxic at its place in a direction, from its addition to its removal.</summary>
#pragma warning disable CA1001 // The source is not disposed: it has no timer, and pieces on their way may still look at it.
internal sealed class ToxicEntry(Toxic toxic)
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _removal = new();

    public Toxic Toxic => toxic;

    /// <summary>Cancelled with the removal: what waits in the toxic goes on.</summary>
    public CancellationToken Removed => _removal.Token;

    public void Remove() => _removal.Cancel();
}
