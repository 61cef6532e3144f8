namespace Seeded;

// Legal but unusual: no finding at the level of a warning is allowed in this file.
internal sealed class LegalStreams : IDisposable
{
    private PooledStream? _kept;

    public static Stream PassOn() => StreamPool.Shared.Rent("passed on");

    public static PooledStream PassOnALocal()
    {
        var stream = StreamPool.Shared.Rent("passed on");
        stream.WriteByte(1);
        return stream;
    }

    public void Keep()
    {
        _kept = StreamPool.Shared.Rent("kept");
        _kept.WriteByte(1);
    }

    public static long WrappedByAWriter(string text)
    {
        var stream = StreamPool.Shared.Rent("wrapped");
        using var writer = new StreamWriter(stream);
        writer.Write(text);
        writer.Flush();
        return stream.Length;
    }

    public static PooledSequence Detached(string text)
    {
        var stream = StreamPool.Shared.Rent("detached");
        stream.Write(Encoding.UTF8.GetBytes(text));
        return stream.DetachBuffer();
    }

    public static long DisposedInFinally(string text)
    {
        PooledStream? stream = null;
        try
        {
            stream = StreamPool.Shared.Rent("finally");
            stream.Write(Encoding.UTF8.GetBytes(text));
            return stream.Length;
        }
        finally
        {
            stream?.Dispose();
        }
    }

    public static async Task DisposedAsync(Stream target)
    {
        var stream = StreamPool.Shared.Rent("asynchronous");
        await using (stream.ConfigureAwait(false))
        {
            await stream.CopyToAsync(target);
        }
    }

    public static void ClosedInsteadOfDisposed()
    {
        var stream = StreamPool.Shared.Rent("closed");
        stream.WriteByte(1);
        stream.Close();
    }

    public static IMemoryOwner<byte> OwnerPassedOn(int count)
    {
        var owner = MemoryPool<byte>.Shared.Rent(count);
        owner.Memory.Span.Clear();
        return owner;
    }

    public static void OwnerInAUsingStatement(int count)
    {
        using (var owner = MemoryPool<byte>.Shared.Rent(count))
        {
            owner.Memory.Span[..count].Clear();
        }
    }

    public static async Task WriterIsDisposedAsync(Stream target, string text)
    {
        using var writer = new PooledBufferWriter<byte>();
        Encoding.UTF8.GetBytes(text, writer);
        await target.WriteAsync(writer.WrittenMemory);
    }

    public static BufferLease<byte> BufferPassedOn(int count)
    {
        var buffer = TieredArrayPool<byte>.Shared.RentExact(count);
        buffer.Span.Clear();
        return buffer;
    }

    public static byte[] CopyEscapes(int count)
    {
        using var buffer = TieredArrayPool<byte>.Shared.RentExact(count);
        buffer.Span.Clear();
        return buffer.Span.ToArray();
    }

    public void Dispose() => _kept?.Dispose();
}
