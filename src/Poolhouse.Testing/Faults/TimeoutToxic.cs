using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>
/// Lets nothing through and ends the connection some time after the first byte: a peer that fails while it processes a request.
/// </summary>
/// <remarks>
/// Added before the request, in the direction to the client, the server processes the request, and the answer is withheld.
/// </remarks>
public sealed class TimeoutToxic : Toxic
{
    /// <summary>Creates the toxic.</summary>
    /// <param name="after">See <see cref="After"/>.</param>
    /// <param name="end">See <see cref="End"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="after"/> is negative.</exception>
    public TimeoutToxic(TimeSpan after, ConnectionEnd end = ConnectionEnd.Close)
    {
        After = after;
        End = end;
    }

    /// <summary>The time after the first byte at which the connection ends.</summary>
    /// <value>Zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public TimeSpan After
    {
        get;
        set => field = CheckTime(value, nameof(After));
    }

    /// <summary>How the connection ends.</summary>
    /// <value><see cref="ConnectionEnd.Close"/> by default.</value>
    public ConnectionEnd End { get; set; }

    internal override async ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage)
    {
        await stage.WaitAsync(After).ConfigureAwait(false);
        if (!stage.IsOver)
        {
            await stage.EndAsync(End).ConfigureAwait(false);
        }

        await stage.PassOnAsync(bytes).ConfigureAwait(false);
    }
}
