using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>A fault that affects the data that a <see cref="FaultProxy"/> forwards in one direction.</summary>
/// <remarks>
/// One toxic may be added to several directions and proxies. It receives pieces of at most 16 KiB, in the order in which they
/// arrived, and the end of the stream as an empty last piece. All settings can be changed at any time and apply to the next
/// piece.
/// </remarks>
public abstract class Toxic
{
    private protected Toxic()
    {
    }

    /// <summary>Forwards a piece: late, in parts, or not at all.</summary>
    /// <param name="bytes">The piece; empty: the end of the stream.</param>
    /// <param name="stage">The operations available to this toxic for this piece.</param>
    internal abstract ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage);

    private protected static TimeSpan CheckTime(TimeSpan value, string name)
    {
        if (value < TimeSpan.Zero && value != Timeout.InfiniteTimeSpan)
        {
            throw new ArgumentOutOfRangeException(
                name, value, $"{name} is {value}; allowed is zero or more, or Timeout.InfiniteTimeSpan.");
        }

        return value;
    }
}
