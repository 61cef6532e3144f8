using System.Buffers;
using System.Text;

namespace Poolhouse.Samples.NativeAot;

internal static class Streams
{
    public static async Task<string> UseAsync()
    {
        var log = new Log();
        using var pool = new StreamPool(new StreamPoolOptions
        {
            Name = "streams",
            FirstBlockSize = 16,
            MaxBlockSize = 32,
            MaxLength = 1000,
            Observer = log,
            TrackLeases = true,
        });
        var seen = new StringBuilder();
        Contents(pool, seen);
        await PipesAsync(pool, seen);
        return seen.Append(log.Seen).ToString();
    }

    private static void Contents(StreamPool pool, StringBuilder seen)
    {
        using PooledStream stream = StreamPoolExtensions.GetStream(pool, "first", requiredSize: 10);
        for (var i = 0; i < 100; i++)
        {
            stream.WriteByte((byte)i);
        }

        stream.SetLength(90);
        seen.Append(stream.ToArray().Sum(each => each)).Append(stream.AsReadOnly().Length);
        try
        {
            stream.Write(new byte[1000]);
        }
        catch (IOException)
        {
            seen.Append("too long");
        }

        using PooledSequence content = stream.DetachBuffer();
        using var copy = new SequenceStream(content.Sequence.Slice(20));
        seen.Append(content.Length).Append(copy.ReadByte());
    }

    private static async Task PipesAsync(StreamPool pool, StringBuilder seen)
    {
        await using var stream = pool.AsFactory("third")();
        var pooled = (PooledStream)stream;
        await pooled.AsPipeWriter().WriteAsync("through a pipe, and on"u8.ToArray());
        stream.Position = 0;
        var reader = pooled.AsPipeReader();
        var read = await reader.ReadAsync();
        seen.Append(Encoding.UTF8.GetString(read.Buffer.ToArray()));
        reader.AdvanceTo(read.Buffer.End);
        seen.Append(stream.Position);
    }

    private sealed class Log : StreamPoolObserver
    {
        public StringBuilder Seen { get; } = new();

        public override void OnRented(in StreamRentedArgs rented) => Seen.Append(rented.Tag).Append(rented.SizeHint);

        public override void OnReturned(in StreamReturnedArgs returned) => Seen.Append(returned.Tag).Append(returned.Length);

        public override void OnCopiedToArray(in StreamCopiedToArrayArgs copied) => Seen.Append(copied.Length);

        public override void OnTooLong(in StreamTooLongArgs refused) => Seen.Append(refused.Position).Append(refused.Count);

        // Nothing here is forgotten: named so that a native build has to keep it.
        public override void OnLeaked(in StreamLeakedArgs leaked) => Seen.Append(leaked.Tag);
    }
}
