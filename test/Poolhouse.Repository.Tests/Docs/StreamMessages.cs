
namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes pooled streams and their pool throw each of their messages, once.</summary>
internal static class StreamMessages
{
    private const int OneGiB = 1 << 30;

    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["stream: rent after disposal"] = () => DisposedPool().Rent(),
        ["stream: invalid options"] = () => new StreamPool(new StreamPoolOptions { FirstBlockSize = 1000 }),
        ["stream: late use"] = () => _ = Disposed().Length,
        ["stream: late change of length"] = () => Disposed().SetLength(1),
        ["stream: late use of its view"] = LateUseOfView,
        ["stream: late use of what was detached"] = LateUseOfSequence,
        ["stream: write to a view"] = () => With(stream => stream.AsReadOnly().WriteByte(1)),
        ["stream: too long"] = () => With(stream => stream.Write(new byte[2]), new StreamPoolOptions { MaxLength = 1 }),
        ["stream: too long, with a tag"] = TooLongWithTag,
        ["stream: too long for an array"] = TooLongForArray,
        ["stream: copies are forbidden"] = () => With(
            stream => stream.ToArray(), new StreamPoolOptions { ThrowExceptionOnToArray = true }),
        ["stream: unknown origin"] = () => With(stream => stream.Seek(0, (SeekOrigin)3)),
        ["stream: seek before the beginning"] = () => With(stream => stream.Seek(-1, SeekOrigin.Begin)),
        ["stream: seek past all numbers"] = SeekTooFar,
        ["stream: capacity below the length"] = CapacityTooSmall,
        ["stream: negative size hint"] = () => With(stream => stream.GetSpan(-1)),
        ["stream: negative advance"] = () => With(stream => stream.Advance(-1)),
        ["stream: advance without room"] = () => With(stream => stream.Advance(1)),
        ["stream: advance of a pipe without a read"] = () => With(stream => stream.AsPipeReader().AdvanceTo(default)),
        ["stream: advance of a pipe beyond what was examined"] = ConsumeMoreThanExamined,
        ["stream: read of a completed pipe"] = ReadCompleted,
        ["stream: write to a completed pipe"] = WriteCompleted,
        ["stream: use by two threads"] = UseByTwoThreads,
    };

    private static void With(Action<PooledStream> act, StreamPoolOptions? options = null)
    {
        using var pool = new StreamPool(options);
        using var stream = pool.Rent();
        act(stream);
    }

    private static StreamPool DisposedPool()
    {
        var pool = new StreamPool();
        pool.Dispose();
        return pool;
    }

    private static PooledStream Disposed()
    {
        var stream = StreamPool.Shared.Rent();
        stream.Dispose();
        return stream;
    }

    private static void LateUseOfView()
    {
        var stream = StreamPool.Shared.Rent();
        var view = stream.AsReadOnly();
        stream.Dispose();
        view.ReadByte();
    }

    private static void LateUseOfSequence()
    {
        var content = StreamPool.Shared.Rent().DetachBuffer();
        content.Dispose();
        _ = content.Sequence;
    }

    private static void TooLongWithTag()
    {
        using var pool = new StreamPool(new StreamPoolOptions { MaxLength = 1 });
        using var stream = pool.Rent("report");
        stream.Write(new byte[2]);
    }

    // Advanced over without being written: so these two blocks are addresses, and hardly any memory.
    private static void TooLongForArray()
    {
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { MaxRetainedBytes = 0 });
        With(
            stream =>
            {
                for (var i = 0; i < 2; i++)
                {
                    stream.GetMemory(OneGiB);
                    stream.Advance(OneGiB);
                }

                stream.GetBuffer();
            },
            new StreamPoolOptions { Arrays = arrays });
    }

    private static void SeekTooFar() => With(stream =>
    {
        stream.Position = 1;
        stream.Seek(long.MaxValue, SeekOrigin.Current);
    });

    private static void CapacityTooSmall() => With(stream =>
    {
        stream.WriteByte(1);
        stream.Capacity = 0;
    });

    private static void ConsumeMoreThanExamined() => With(stream =>
    {
        stream.WriteByte(1);
        stream.Position = 0;
        var reader = stream.AsPipeReader();
        reader.TryRead(out var read);
        reader.AdvanceTo(read.Buffer.End, read.Buffer.Start);
    });

    private static void ReadCompleted() => With(stream =>
    {
        var reader = stream.AsPipeReader();
        reader.Complete();
        reader.TryRead(out _);
    });

    // One thread clears long blocks most of the time, so that the other soon finds it doing that.
    private static void UseByTwoThreads() => With(stream =>
    {
        var failure = default(Exception);
        var changes = new Thread(() =>
        {
            while (Volatile.Read(ref failure) is null)
            {
                if (Record.Exception(() => stream.SetLength(0)) is null)
                {
                    Record.Exception(() => stream.SetLength(1 << 24));
                }
            }
        });
        changes.Start();
        while (failure is null)
        {
            Volatile.Write(ref failure, Record.Exception(() => stream.SetLength(1)));
        }

        changes.Join();
        throw failure;
    });

    private static void WriteCompleted() => With(stream =>
    {
        var writer = stream.AsPipeWriter();
        writer.Complete();
        writer.GetSpan();
    });
}
