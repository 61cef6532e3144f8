namespace Poolhouse.Testing;

/// <summary>The item that the contract pools: knows what it was made from, and complains when it has two owners.</summary>
/// <remarks>Thread safe.</remarks>
public sealed class ContractItem
{
    private int _owners;
    private int _looks;

    internal ContractItem(string madeFrom) => MadeFrom = madeFrom;

    /// <summary>The credentials that were in force when it was made.</summary>
    internal string MadeFrom { get; }

    /// <summary>How often somebody asked for its text. A pool never does: the text may hold a secret.</summary>
    internal int Looks => Volatile.Read(ref _looks);

    /// <summary>Counted; no pool may call it.</summary>
    /// <returns>A text without any content.</returns>
    public override string ToString()
    {
        Interlocked.Increment(ref _looks);
        return nameof(ContractItem);
    }

    /// <summary>For the one that rented it.</summary>
    /// <returns>False: somebody else owns it.</returns>
    internal bool TryTake() => Interlocked.CompareExchange(ref _owners, 1, 0) == 0;

    /// <summary>For its owner, before it gives it back.</summary>
    internal void Release() => Volatile.Write(ref _owners, 0);
}
