namespace Poolhouse.Streams;

/// <summary>Copies a part of a pooled stream to another stream, block by block.</summary>
internal static class StreamCopy
{
    public static void Run(PooledStream source, Stream destination, long from, long to)
    {
        using var borrowed = source.Body.Blocks.Borrow();
        while (NextPiece(source, from, ref to) is { Count: > 0 } piece)
        {
            destination.Write(piece.Array!, piece.Offset, piece.Count);
            from += piece.Count;
        }
    }

    public static async Task RunAsync(
        PooledStream source, Stream destination, long from, long to, CancellationToken cancellationToken)
    {
        using var borrowed = source.Body.Blocks.Borrow();
        while (NextPiece(source, from, ref to) is { Count: > 0 } piece)
        {
            cancellationToken.ThrowIfCancellationRequested();
            await destination.WriteAsync(piece.AsMemory(), cancellationToken).ConfigureAwait(false);
            from += piece.Count;
        }
    }

    // Returns the next piece of a copy that has borrowed the blocks; it is empty at the end. The stream is checked each time,
    // because the destination is user code, which may have disposed this stream or made it shorter.
    private static ArraySegment<byte> NextPiece(PooledStream source, long from, ref long to)
    {
        var body = source.Body;
        to = Math.Min(to, body.Length);
        if (from >= to)
        {
            return default;
        }

        var piece = body.PieceAt(source, from, to);

        // Once more, because another thread may have ended the use of the stream before the piece was read.
        _ = source.Body;
        return piece;
    }
}
