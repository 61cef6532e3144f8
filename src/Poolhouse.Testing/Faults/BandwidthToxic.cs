namespace Poolhouse.Testing;

/// <summary>Lets only so many bytes a second through, for each connection.</summary>
public sealed class BandwidthToxic : Toxic
{
    private const int PartsPerSecond = 50;

    /// <summary>Makes one.</summary>
    /// <param name="bytesPerSecond">See <see cref="BytesPerSecond"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytesPerSecond"/> is less than 1.</exception>
    public BandwidthToxic(int bytesPerSecond) => BytesPerSecond = bytesPerSecond;

    /// <summary>How many bytes a second a connection may pass in this direction.</summary>
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
        while (!bytes.IsEmpty && !stage.IsOver)
        {
            var rate = BytesPerSecond;
            var part = bytes[..Math.Min(bytes.Length, Math.Max(rate / PartsPerSecond, 1))];
            await stage.WaitAsync(TimeSpan.FromSeconds((double)part.Length / rate)).ConfigureAwait(false);
            await stage.PassOnAsync(part).ConfigureAwait(false);
            bytes = bytes[part.Length..];
            if (bytes.IsEmpty)
            {
                return;
            }
        }

        await stage.PassOnAsync(bytes).ConfigureAwait(false);
    }
}
