using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Splits data into small writes, so that a reader gets a message in parts.</summary>
public sealed class SlicerToxic : Toxic
{
    /// <summary>Creates the toxic.</summary>
    /// <param name="size">See <see cref="Size"/>; 1 by default.</param>
    /// <param name="pause">See <see cref="Pause"/>; zero by default.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="size"/> is less than 1, or <paramref name="pause"/>
    /// negative.</exception>
    public SlicerToxic(int size = 1, TimeSpan pause = default)
    {
        Size = size;
        Pause = pause;
    }

    /// <summary>The number of bytes per write.</summary>
    /// <value>1 by default; 1 or more.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int Size
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    }

    /// <summary>How long to wait after each write.</summary>
    /// <value>Zero by default: the system may combine writes again. Zero or more.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public TimeSpan Pause
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            field = value;
        }
    }

    internal override async ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage)
    {
        // Read once per round, because another thread may change it.
        while (Size is var size && bytes.Length > size && !stage.IsOver)
        {
            await stage.PassOnAsync(bytes[..size]).ConfigureAwait(false);
            await stage.WaitAsync(Pause).ConfigureAwait(false);
            bytes = bytes[size..];
        }

        await stage.PassOnAsync(bytes).ConfigureAwait(false);
    }
}
