namespace Poolhouse.Testing;

/// <summary>The item that the contract pools: records what it was created with, and detects when it has two owners.</summary>
/// <remarks>Thread safe.</remarks>
public sealed class ContractItem
{
    private int _owners;
    private int _looks;

    internal ContractItem(string madeFrom) => MadeFrom = madeFrom;

    /// <summary>The credentials that were in force when it was created.</summary>
    internal string MadeFrom { get; }

    /// <summary>The number of calls of <c>ToString</c>. A pool never calls it, because the text may contain a secret.</summary>
    internal int Looks => Volatile.Read(ref _looks);

    /// <summary>Counted; no pool may call it.</summary>
    /// <returns>A text without any content.</returns>
    public override string ToString()
    {
        Interlocked.Increment(ref _looks);
        return nameof(ContractItem);
    }

    /// <summary>Called by the new owner after a rent.</summary>
    /// <returns>False if another caller owns it.</returns>
    internal bool TryTake() => Interlocked.CompareExchange(ref _owners, 1, 0) == 0;

    /// <summary>Called by the owner before the return.</summary>
    internal void Release() => Volatile.Write(ref _owners, 0);
}
