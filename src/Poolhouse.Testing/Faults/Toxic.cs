using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Something bad that happens to the bytes that a <see cref="FaultProxy"/> passes in one direction.</summary>
/// <remarks>
/// One toxic may stand in several directions and proxies. It sees pieces of at most 16 KiB, in the order in which they came, and the end of
/// the stream as an empty last one. All settings can be changed at any time and hold for the next piece.
/// </remarks>
public abstract class Toxic
{
    private protected Toxic()
    {
    }

    /// <summary>Passes a piece on, late, in parts, or not at all.</summary>
    /// <param name="bytes">The piece; empty: the end of the stream.</param>
    /// <param name="stage">The place of this toxic before this piece: what it can do.</param>
    internal abstract ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage);

    private protected static TimeSpan CheckTime(TimeSpan value, string name)
    {
        if (value < TimeSpan.Zero && value != Timeout.InfiniteTimeSpan)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} is {value}; allowed is zero or more, or Timeout.InfiniteTimeSpan.");
        }

        return value;
    }
}
