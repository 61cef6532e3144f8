using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Flow;

/// <summary>A variable of a body that holds something rented, and all its other names.</summary>
internal sealed class Item
{
    public Item(int index, string name, ItemKind kind, bool isParameter)
    {
        Index = index;
        Name = name;
        Kind = kind;
        IsParameter = isParameter;
    }

    /// <summary>Its place in a state of the flow.</summary>
    public int Index { get; }

    public string Name { get; }

    public ItemKind Kind { get; }

    /// <summary>The caller owns what the variable holds at the beginning.</summary>
    public bool IsParameter { get; }

    /// <summary>The item that a <see cref="ItemKind.PendingUse"/> uses.</summary>
    public Item? Used { get; set; }

    /// <summary>The call that starts a <see cref="ItemKind.PendingUse"/>.</summary>
    public IOperation? Start { get; set; }

    /// <summary>The calls that rent into the variable.</summary>
    public List<IInvocationOperation> Rents { get; } = new();

    /// <summary>The operations that return the item or end the lease, and the block of each.</summary>
    public Dictionary<IOperation, int> Ends { get; } = new();

    /// <summary>Whether the variable's value goes anywhere that is not followed: an argument, a field, the result.</summary>
    public bool IsPassedOn { get; set; }

    /// <summary>Whether a part of the item does: it may be used after any place where the item could end.</summary>
    public bool IsPartPassedOn { get; set; }
}
