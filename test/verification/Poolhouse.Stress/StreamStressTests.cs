using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace Poolhouse.Stress;

/// <summary>
/// Threads that fill, pass on, drain and end streams at random, with a stamp in every byte: no block is in two streams.
/// </summary>
[Collection(nameof(StreamStressTests))]
public sealed class StreamStressTests(ITestOutputHelper output)
{
    private const int ThreadCount = 6;

    private readonly StressRun _run = new(output);

    [Theory]
    [InlineData(0)]
    [InlineData(64 << 10)]
    [InlineData(64 << 20)]
    public void Each_block_has_one_owner_and_the_budget_holds(long budget)
    {
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { MaxRetainedBytes = budget });
        using var pool = NewPool(arrays);
        using var belt = new Belt();
        _run.Run(
            ThreadCount,
            random =>
            {
                var stamp = (byte)random.Next(1, 256);
                belt.Put(random.Next(4) == 0
                    ? Filled.OfBuffer(pool.Rent(), stamp, random)
                    : Filled.OfStream(pool.Rent(), stamp, random));
                if (random.Next(3) > 0)
                {
                    belt.TakeOne(random);
                }

                if (random.Next(500) == 0)
                {
                    arrays.Trim();
                    pool.Trim();
                }

                Assert.InRange(arrays.GetStatistics().RetainedBytes, 0, budget);
            },
            () => belt.TakeAll());

        AssertAtRest(arrays, pool);
    }

    [Fact]
    public void Each_stream_ended_by_two_threads_ends_once()
    {
        using var arrays = new TieredArrayPool<byte>();
        using var pool = NewPool(arrays);
        var streams = new ConcurrentQueue<Filled>();
        _run.Run(
            ThreadCount,
            random =>
            {
                var filled = Filled.OfStream(pool.Rent(), (byte)random.Next(1, 256), random);
                filled.Check();

                // One copy ends here and one wherever it is found.
                streams.Enqueue(filled);
                if (random.Next(2) == 0 && streams.TryDequeue(out var other))
                {
                    other.End();
                }

                filled.End();
                filled.End();
                while (streams.Count > 50 && streams.TryDequeue(out var late))
                {
                    late.End();
                }
            });

        AssertAtRest(arrays, pool);
    }

    [Fact]
    public void A_pending_copy_keeps_its_bytes_when_the_stream_is_disposed()
    {
        using var arrays = new TieredArrayPool<byte>();
        using var pool = NewPool(arrays);
        var pending = 0;
        _run.Run(
            ThreadCount,
            random =>
            {
                var stamp = (byte)random.Next(1, 256);
                var filled = Filled.OfStream(pool.Rent(), stamp, random);
                using var destination = new CheckingStream(stamp);
                filled.Stream!.Position = 0;
                var copy = filled.Stream.CopyToAsync(destination, TestContext.Current.CancellationToken);
                Thread.SpinWait(random.Next(2_000));
                if (!copy.IsCompleted)
                {
                    Interlocked.Increment(ref pending);
                }

                filled.End();
                Filled.OfStream(pool.Rent(), (byte)(stamp ^ 0xFF), random).End();
                var error = Record.Exception(() => copy.Wait(TimeSpan.FromSeconds(30)));
                Assert.True(
                    error is null or AggregateException { InnerException: ObjectDisposedException },
                    $"The copy ended with {error}.");
                Assert.Equal(0, destination.Wrong);
            });

        Assert.InRange(pending, 1, int.MaxValue);

        // The blocks of a stream that was disposed during a copy are dropped; the others were returned once.
        Assert.Equal(0, arrays.GetStatistics().DoubleReturns);
        Assert.InRange(arrays.GetStatistics().Returned, 0, arrays.GetStatistics().Rented);
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    private static StreamPool NewPool(TieredArrayPool<byte> arrays) =>
        new(new StreamPoolOptions { Arrays = arrays, FirstBlockSize = 16, MaxBlockSize = 1024, MaxRetained = 64 });

    private static void AssertAtRest(TieredArrayPool<byte> arrays, StreamPool pool)
    {
        var books = arrays.GetStatistics();
        Assert.Equal((0, 0, books.Rented), (books.Leased, books.DoubleReturns, books.Returned));
        Assert.Equal(0, pool.GetStatistics().Leased);
        Assert.InRange(pool.GetStatistics().Retained, 0, 64);
    }

    /// <summary>A stream or a detached buffer, full of one byte.</summary>
    private sealed class Filled
    {
        private readonly byte _stamp;
        private readonly long _length;
        private PooledSequence? _buffer;

        private Filled(PooledStream stream, byte stamp, Random random)
        {
            Stream = stream;
            _stamp = stamp;
            var chunk = new byte[random.Next(1, 700)];
            Array.Fill(chunk, stamp);
            for (var times = random.Next(1, 12); times > 0; times--)
            {
                stream.Write(chunk);
            }

            stream.GetSpan(10)[..10].Fill(stamp);
            stream.Advance(10);
            _length = stream.Length;
        }

        public PooledStream? Stream { get; private set; }

        public static Filled OfStream(PooledStream stream, byte stamp, Random random) => new(stream, stamp, random);

        public static Filled OfBuffer(PooledStream stream, byte stamp, Random random)
        {
            var filled = new Filled(stream, stamp, random);
            filled._buffer = stream.DetachBuffer();
            filled.Stream = null;
            return filled;
        }

        public void Check()
        {
            var sequence = _buffer?.Sequence ?? Stream!.WrittenSequence;
            Assert.Equal(_length, sequence.Length);
            foreach (var piece in sequence)
            {
                Assert.Equal(-1, piece.Span.IndexOfAnyExcept(_stamp));
            }
        }

        /// <summary>Overwrites everything, so that another user of one of its blocks would detect it.</summary>
        public void Overwrite(byte other)
        {
            var sequence = _buffer?.Sequence ?? Stream!.WrittenSequence;
            foreach (var piece in sequence)
            {
                MemoryMarshal.AsMemory(piece).Span.Fill(other);
            }
        }

        public void End()
        {
            _buffer?.Dispose();
            Stream?.Dispose();
        }
    }

    /// <summary>Passes streams from thread to thread.</summary>
    private sealed class Belt : IDisposable
    {
        private readonly ConcurrentQueue<Filled> _waiting = new();

        public void Put(Filled filled) => _waiting.Enqueue(filled);

        public void TakeOne(Random random)
        {
            if (_waiting.TryDequeue(out var filled))
            {
                filled.Check();
                filled.Overwrite((byte)random.Next(256));
                filled.End();
            }
        }

        public void TakeAll()
        {
            while (_waiting.TryDequeue(out var filled))
            {
                filled.Check();
                filled.End();
            }
        }

        public void Dispose() => TakeAll();
    }

    /// <summary>A destination that reads its buffers a while later, as a socket does.</summary>
    // No MemoryStream: copies to those are synchronous.
    private sealed class CheckingStream(byte stamp) : Stream
    {
        public int Wrong { get; private set; }

        public override bool CanRead => false;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            Thread.SpinWait(500);
            if (buffer.Span.IndexOfAnyExcept(stamp) >= 0)
            {
                Wrong++;
            }
        }
    }
}
