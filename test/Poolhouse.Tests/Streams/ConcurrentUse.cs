using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>
/// Two threads use one stream at the same time, which is not allowed. Their stream may get any content and throw, but others are
/// not affected (I1): other streams keep their bytes, each block is returned once, and every call ends.
/// </summary>
[Collection(nameof(Alone))]
public sealed class ConcurrentUse
{
    private const int Rounds = 3_000;
    private const int Calls = 12;
    private const int Kinds = 11;
    private const byte Neighbor = 0xEE;

    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private int _refusals;

    public enum Ending
    {
        /// <summary>The stream ends when both threads have finished.</summary>
        Later,

        /// <summary>One of the threads disposes the stream while the other uses it.</summary>
        Disposal,

        /// <summary>One of the threads detaches the content while the other uses the stream.</summary>
        Detach,
    }

    [Theory]
    [InlineData(Ending.Later)]
    [InlineData(Ending.Disposal)]
    [InlineData(Ending.Detach)]
    public void A_stream_used_by_two_threads_does_not_affect_other_streams(Ending ending)
    {
        using var pool = StreamPools.Make(_arrays);
        using var before = pool.RentWith(Full(300));
        var start = new SpinBarrier();
        var finish = new SpinBarrier();
        var stream = default(PooledStream)!;
        var unexpected = new Exception?[2];
        var notEmpty = 0;
        Threads.Run(2, number =>
        {
            var random = new Random(number);
            for (var round = 0; round < Rounds; round++)
            {
                if (number == 0)
                {
                    stream = pool.Rent();
                    notEmpty += stream.Length == 0 && stream.Position == 0 ? 0 : 1;
                }

                start.Wait();
                var calls = number == 0 && ending != Ending.Later ? random.Next(Calls) : Calls;
                for (var call = 0; call < calls; call++)
                {
                    var (kind, size) = (random.Next(Kinds), random.Next(200));
                    unexpected[number] ??= Unexpected(Record.Exception(() => Call(stream, kind, size)));
                }

                if (number == 0 && ending != Ending.Later)
                {
                    unexpected[number] ??= Unexpected(Record.Exception(() => End(ending, stream)));
                }

                finish.Wait();
                if (number == 0)
                {
                    stream.Dispose();
                }
            }
        });

        Assert.All(unexpected, Assert.Null);
        Assert.Equal(0, notEmpty);
        Assert.NotEqual(0, Volatile.Read(ref _refusals));
        Assert.Equal(Full(300), before.ToArray());
        AssertNoStreamsShareABlock(pool);
        Assert.Equal(0, _arrays.GetStatistics().DoubleReturns);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_long_write_or_read_that_ends_after_the_disposal_does_not_affect_the_next_stream(bool writes)
    {
        const int Size = 64 << 20;
        const int Overlaps = 8;
        using var pool = StreamPools.Make(_arrays, first: 1024, max: Size);
        var data = new byte[Size];
        for (var i = 0; i < Overlaps; i++)
        {
            using var stream = pool.Rent(sizeHint: Size);
            var block = stream.GetMemory(Size);
            block.Span.Fill((byte)(writes ? 0 : 1));
            stream.Advance(Size);
            stream.Position = 0;
            Array.Fill(data, (byte)(writes ? 1 : 0));

            Assert.Equal([1, 2, 3, 4], Overlap(pool, stream, writes, data, writes ? block : data));
        }
    }

    /// <summary>Disposes a stream during a long copy, and ends the copy while the next stream is used.</summary>
    /// <returns>The content of the next stream, after 1 to 4 were written to it.</returns>
    private static byte[]? Overlap(StreamPool pool, PooledStream stream, bool writes, byte[] data, Memory<byte> target)
    {
        using var ready = new ManualResetEventSlim();
        using var ended = new ManualResetEventSlim();
        byte[]? next = null;
        Threads.Run(2, number =>
        {
            if (number == 0)
            {
                Assert.True(ready.Wait(Background.Limit));
                _ = Record.Exception(() => Copy(stream, writes, data));
                ended.Set();
                return;
            }

            // Not the first byte, which memmove may store last.
            ready.Set();
            while (Volatile.Read(ref target.Span[target.Length / 16]) == 0 && !ended.IsSet)
            {
                Thread.SpinWait(1);
            }

            stream.Dispose();
            using var theirs = pool.Rent();
            theirs.Write([1, 2, 3]);
            Assert.True(ended.Wait(Background.Limit));
            theirs.WriteByte(4);
            next = theirs.ToArray();
        });
        return next;
    }

    private static void Copy(PooledStream stream, bool writes, byte[] data)
    {
        if (writes)
        {
            stream.Write(data);
        }
        else
        {
            _ = stream.Read(data);
        }
    }

    private static void End(Ending ending, PooledStream stream)
    {
        if (ending == Ending.Detach)
        {
            stream.DetachBuffer().Dispose();
        }
        else
        {
            stream.Dispose();
        }
    }

    private static void Call(PooledStream stream, int kind, int size)
    {
        switch (kind)
        {
            case 0:
                stream.Write(new byte[size]);
                break;
            case 1:
                stream.WriteByte(1);
                break;
            case 2:
                stream.SetLength(size);
                break;
            case 3:
                stream.Capacity = Math.Max(stream.Length, size);
                break;
            case 4:
                stream.Position = size / 2;
                break;
            case 5:
                _ = stream.Read(new byte[size]);
                break;
            case 6:
                _ = stream.ToArray();
                break;
            case 7:
                _ = stream.TryGetBuffer(out _);
                break;
            case 8:
                stream.GetSpan(size).Clear();

                // So that the threads also meet if they share one processor.
                Thread.Yield();
                stream.Advance(size / 2);
                break;
            case 9:
                _ = stream.WrittenSequence.Length;
                break;
            default:
                stream.CopyTo(Stream.Null);
                break;
        }
    }

    /// <summary>
    /// The stream reports the concurrent use, or its end. Code that read inconsistent numbers reports what it found.
    /// </summary>
    private Exception? Unexpected(Exception? error)
    {
        if (error is InvalidOperationException and not ObjectDisposedException)
        {
            Interlocked.Increment(ref _refusals);
        }

        return error is InvalidOperationException or NotSupportedException or ArgumentException or IndexOutOfRangeException or
            NullReferenceException ? null : error;
    }

    private void AssertNoStreamsShareABlock(StreamPool pool)
    {
        var streams = Enumerable.Range(0, 50).Select(number => pool.RentWith(Of(number))).ToList();
        Assert.All(streams.Index(), each => Assert.Equal(Of(each.Index), each.Item.ToArray()));
        streams.ForEach(each => each.Dispose());
        var all = Enumerable.Range(4, 4).SelectMany(power => _arrays.RentMany(200, 1 << power)).ToList();
        Assert.Equal(all.Count, all.Distinct(ReferenceEqualityComparer.Instance).Count());
    }

    private static byte[] Full(int count) => [.. Enumerable.Repeat(Neighbor, count)];

    private static byte[] Of(int number) => [.. Enumerable.Repeat((byte)number, 150)];
}
