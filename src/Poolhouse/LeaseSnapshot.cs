using System.Diagnostics;
using System.Globalization;

namespace Poolhouse;

/// <summary>
/// An active lease of a pool at the moment at which <see cref="IPool.GetLeases"/> read it: who holds an item, and for how long.
/// </summary>
/// <remarks>Immutable. It refers neither to the item nor to the lease.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
public sealed class LeaseSnapshot
{
    /// <summary>The leases of a pool that keeps no list of them.</summary>
    internal static IReadOnlyList<LeaseSnapshot> None(int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(max);
        return [];
    }

    /// <summary>
    /// The number of the item in its pool, from 1 in the order of creation; see <see cref="LeaseInfo.ItemNumber"/>.
    /// </summary>
    public long ItemNumber { get; init; }

    /// <summary>How long the item had been leased.</summary>
    public TimeSpan LeasedFor { get; init; }

    /// <summary>The <see cref="LeaseLabel"/> of the caller when it rented.</summary>
    /// <value>
    /// <c>null</c> if it had none, or unless <see cref="ResourcePoolOptions.LabelLeases"/> or
    /// <see cref="ResourcePoolOptions.TrackLeases"/> is on.
    /// </value>
    public string? Label { get; init; }

    /// <summary>The trace of the <see cref="Activity"/> in which the caller rented.</summary>
    /// <value>
    /// <c>default</c> if there was none, or unless <see cref="ResourcePoolOptions.LabelLeases"/> or
    /// <see cref="ResourcePoolOptions.TrackLeases"/> is on.
    /// </value>
    public ActivityTraceId TraceId { get; init; }

    /// <summary>The span of the <see cref="Activity"/> in which the caller rented.</summary>
    /// <value>
    /// <c>default</c> if there was none, or unless <see cref="ResourcePoolOptions.LabelLeases"/> or
    /// <see cref="ResourcePoolOptions.TrackLeases"/> is on.
    /// </value>
    public ActivitySpanId SpanId { get; init; }

    /// <summary>Where the item was rented, without the frames of .NET and of the pool.</summary>
    /// <value><c>null</c> unless <see cref="ResourcePoolOptions.TrackLeases"/> or, for a cache, the paranoid mode is on.</value>
    public StackTrace? RentedAt { get; init; }

    /// <summary>Describes the lease as exceptions and logs show it.</summary>
    /// <returns>
    /// For instance <c>item 3 for 12.5 s by '/orders/{id}'</c>, with the trace and the method that rented, if they are known.
    /// </returns>
    // One frame is enough to find the caller; the property has the others.
    public override string ToString()
    {
        var label = Label is { } name ? $" by '{name}'" : string.Empty;
        var span = TraceId == default ? string.Empty : $", trace {TraceId}, span {SpanId}";
        var caller = RentedAt is { } stack && CallerFrames.NameOfFirst(stack) is { } method ? $", at {method}" : string.Empty;
        return string.Create(
            CultureInfo.InvariantCulture, $"item {ItemNumber} for {LeasedFor.TotalSeconds:0.###} s{label}{span}{caller}");
    }
}
