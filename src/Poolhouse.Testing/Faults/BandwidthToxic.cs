using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Limits each connection to a number of bytes per second.</summary>
public sealed class BandwidthToxic : Toxic
{
    private const int PartsPerSecond = 50;

    /// <summary>Creates the toxic.</summary>
    /// <param name="bytesPerSecond">See <see cref="BytesPerSecond"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytesPerSecond"/> is less than 1.</exception>
    public BandwidthToxic(int bytesPerSecond) => BytesPerSecond = bytesPerSecond;

    /// <summary>The maximum number of bytes per second for each connection in this direction.</summary>
    /// <value>1 or more.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int BytesPerSecond
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    }

    internal override async ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage)
    {
        // At least once: the end of the stream has no bytes.
        do
        {
            var rate = BytesPerSecond;
            var size = stage.IsOver ? bytes.Length : Math.Min(bytes.Length, Math.Max(rate / PartsPerSecond, 1));
            await stage.OccupyLineAsync(size, rate).ConfigureAwait(false);
            await stage.PassOnAsync(bytes[..size]).ConfigureAwait(false);
            bytes = bytes[size..];
        }
        while (!bytes.IsEmpty);
    }
}
