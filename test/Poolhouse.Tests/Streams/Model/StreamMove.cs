namespace Poolhouse.Tests.Streams.Model;

/// <summary>One call on a stream.</summary>
/// <param name="Call">Which call it is.</param>
/// <param name="Size">How many bytes, or how far.</param>
/// <param name="Choice">Picks what else the call needs: an offset, an origin, a destination.</param>
/// <param name="Flaw">What is wrong with the arguments.</param>
/// <param name="Cancelled">Whether its token is cancelled already.</param>
public readonly record struct StreamMove(StreamCall Call, int Size, int Choice, Flaw Flaw, bool Cancelled)
{
    public CancellationToken Token => new(Cancelled);

    public bool EndsTheStream => Call is StreamCall.Dispose or StreamCall.DisposeAsync or StreamCall.Close;

    public override string ToString() =>
        $"{Call} {Size}/{Choice}{(Flaw == Flaw.None ? "" : " " + Flaw)}{(Cancelled ? " cancelled" : "")}";

    /// <summary>Bytes to write: never zero, so that a zero in the content is one that the stream wrote.</summary>
    public byte[] Data(int before = 0, int behind = 0)
    {
        var data = new byte[before + Size + behind];
        for (var i = 0; i < data.Length; i++)
        {
            data[i] = (byte)(1 + ((Size + (Choice * 50) + i) % 255));
        }

        return data;
    }
}
