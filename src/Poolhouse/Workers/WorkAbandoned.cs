
namespace Poolhouse;

/// <summary>An item that was running when it, or the whole pool, was given up. Its thread ends when it does.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Worker">The number of its worker.</param>
/// <param name="Label">The item: <see cref="WorkOptions.Label"/>, else the name of its method.</param>
/// <param name="RanFor">For how long it had run by then.</param>
public readonly record struct WorkAbandoned(IPool Pool, int Worker, string Label, TimeSpan RanFor)
{
    /// <summary>What took too long.</summary>
    /// <value>
    /// <see cref="RentPhase.Run"/>, or <see cref="RentPhase.Create"/> if the item had not begun, because its state was still being created.
    /// </value>
    public RentPhase Phase { get; init; } = RentPhase.Run;
}
