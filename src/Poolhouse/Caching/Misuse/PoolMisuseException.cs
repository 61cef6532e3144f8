namespace Poolhouse;

/// <summary>
/// The exception that a cache in paranoid mode throws when it detects misuse; see <see cref="ParanoidMode.Throw"/>.
/// </summary>
/// <remarks>
/// The message names the pool, what happened, and the methods that rented and returned the item; <see cref="Misuse"/> has the
/// stacks.
/// </remarks>
public sealed class PoolMisuseException : InvalidOperationException
{
    internal PoolMisuseException(PoolMisuseEventArgs misuse)
        : base(misuse.Message) => Misuse = misuse;

    /// <summary>What was detected.</summary>
    public PoolMisuseEventArgs Misuse { get; }

    /// <summary>The name of the pool.</summary>
    public string PoolName => Misuse.PoolName;

    /// <summary>The exception with the stacks of the rent and the return.</summary>
    /// <returns>Several lines. The format may change.</returns>
    public override string ToString() => $"{base.ToString()}{System.Environment.NewLine}{Misuse}";
}
