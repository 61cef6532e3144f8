using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Ends a connection after a number of bytes, even in the middle of a message.</summary>
/// <remarks>It counts the bytes of each connection from the moment at which it was added.</remarks>
public sealed class LimitToxic : Toxic
{
    /// <summary>Creates the toxic.</summary>
    /// <param name="bytes">See <see cref="Bytes"/>.</param>
    /// <param name="end">See <see cref="End"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytes"/> is negative.</exception>
    public LimitToxic(long bytes, ConnectionEnd end = ConnectionEnd.Close)
    {
        Bytes = bytes;
        End = end;
    }

    /// <summary>The number of bytes after which a connection ends.</summary>
    /// <value>Zero or more. Zero ends it with the first byte that arrives.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public long Bytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    }

    /// <summary>How the connection ends.</summary>
    /// <value><see cref="ConnectionEnd.Close"/> by default.</value>
    public ConnectionEnd End { get; set; }

    internal override async ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage)
    {
        var left = (int)Math.Clamp(Bytes - stage.PassedBytes, 0, int.MaxValue);
        if (bytes.Length < left || bytes.IsEmpty)
        {
            await stage.PassOnAsync(bytes).ConfigureAwait(false);
            return;
        }

        if (left > 0)
        {
            await stage.PassOnAsync(bytes[..left]).ConfigureAwait(false);
        }

        if (!stage.IsOver)
        {
            await stage.EndAsync(End).ConfigureAwait(false);
        }

        // An empty piece would be the end of the stream.
        if (left < bytes.Length)
        {
            await stage.PassOnAsync(bytes[left..]).ConfigureAwait(false);
        }
    }
}
