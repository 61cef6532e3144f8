using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Allocations of a warm stream pool: one stream object per rent, and nothing more.</summary>
public sealed class AllocationGates
{
    private const int StreamBytes = 32;
    private const int MostCycles = 2_000;
    private const long MostBytes = 256L << 20;

    private readonly StreamPool _pool = Make(retained: 256L << 20);

    public static TheoryData<int> Sizes =>
        [0, 1, 100, 1023, 1024, 1025, 10_000, 100_000, 1 << 20, (1 << 20) + 1, 4 << 20, 16 << 20, 64 << 20];

    [Theory]
    [MemberData(nameof(Sizes))]
    public void Writing_and_reading_a_stream_allocates_only_the_stream_object_at_every_size(int size)
    {
        var (chunk, target) = (new byte[4096], new byte[4096]);
        AssertAllocates(StreamBytes, size, () =>
        {
            using var stream = _pool.Rent("orders");
            Write(stream, size, chunk);
            stream.Position = 0;
            while (stream.Read(target.AsSpan()) > 0)
            {
            }
        });
    }

    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    [InlineData(4 << 20)]
    public void A_size_hint_allocates_nothing_more(int size)
    {
        var chunk = new byte[4096];
        AssertAllocates(StreamBytes, size, () =>
        {
            using var stream = _pool.Rent(sizeHint: size);
            Write(stream, size, chunk);
        });
    }

    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    [InlineData(4 << 20)]
    public void Asynchronous_calls_allocate_nothing_more(int size)
    {
        var (chunk, target) = (new byte[4096], new byte[4096]);
        var token = TestContext.Current.CancellationToken;
        AssertAllocates(StreamBytes, size, () =>
        {
            using var stream = _pool.Rent();
            for (var left = size; left > 0; left -= chunk.Length)
            {
                Check(stream.WriteAsync(chunk.AsMemory(0, Math.Min(left, chunk.Length)), token).AsTask().IsCompletedSuccessfully);
            }

            stream.Position = 0;
            while (true)
            {
                var read = stream.ReadAsync(target.AsMemory(), token);
                Check(read.IsCompletedSuccessfully);
                if (read.GetAwaiter().GetResult() == 0)
                {
                    break;
                }
            }
        });
    }

    [Fact]
    public void Task_based_calls_allocate_a_task_only_when_their_count_changes()
    {
        var (chunk, target) = (new byte[4096], new byte[4096]);
        using var stream = _pool.Rent();
        var token = TestContext.Current.CancellationToken;
        AssertAllocates(0, 40_960, () =>
        {
            stream.SetLength(0);
            for (var i = 0; i < 10; i++)
            {
                _ = stream.WriteAsync(chunk, 0, chunk.Length, token);
            }

            stream.Position = 0;
            for (var i = 0; i < 10; i++)
            {
                _ = stream.ReadAsync(target, 0, target.Length, token);
            }
        });
    }

    [Fact]
    public void Single_bytes_allocate_nothing_more() => AssertAllocates(StreamBytes, 10_000, () =>
    {
        using var stream = _pool.Rent();
        for (var i = 0; i < 3_000; i++)
        {
            stream.WriteByte(1);
        }

        stream.Position = 0;
        while (stream.ReadByte() >= 0)
        {
        }
    });

    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    [InlineData(4 << 20)]
    public void A_buffer_writer_allocates_nothing_more(int size) => AssertAllocates(StreamBytes, size, () =>
    {
        using var stream = _pool.Rent();
        while (stream.Length < size)
        {
            var room = stream.GetSpan(50);
            room[..50].Fill(1);
            stream.Advance(50);
        }
    });

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(100_000)]
    [InlineData(4 << 20)]
    public void The_written_sequence_allocates_nothing_more(int size)
    {
        var chunk = new byte[4096];
        AssertAllocates(StreamBytes, size, () =>
        {
            using var stream = _pool.Rent();
            Write(stream, size, chunk);
            var sum = 0L;
            foreach (var piece in stream.WrittenSequence)
            {
                sum += piece.Length;
            }

            Check(sum == size);
        });
    }

    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    [InlineData(4 << 20)]
    public void Copies_allocate_nothing_more(int size)
    {
        var chunk = new byte[4096];
        var token = TestContext.Current.CancellationToken;
        AssertAllocates(2 * StreamBytes, 4 * size, () =>
        {
            using var source = _pool.Rent();
            using var target = _pool.Rent();
            Write(source, size, chunk);
            source.Position = 0;
            source.CopyTo(target);
            source.WriteTo(target);
            source.Position = 0;
            Check(source.CopyToAsync(target, token).IsCompletedSuccessfully);
            Check(target.Length == 3L * size);
        });
    }

    [Fact]
    public void Changing_the_length_allocates_nothing_more() => AssertAllocates(StreamBytes, 200_000, () =>
    {
        using var stream = _pool.Rent();
        stream.SetLength(100_000);
        stream.SetLength(10);
        stream.Position = 50_000;
        stream.WriteByte(1);
        stream.Capacity = 200_000;
    });

    [Fact]
    public void A_contiguous_buffer_allocates_nothing_more()
    {
        var chunk = new byte[4096];
        AssertAllocates(StreamBytes, 200_000, () =>
        {
            using var stream = _pool.Rent();
            Write(stream, 100_000, chunk);
            Check(stream.GetBuffer().Length >= 100_000);
            Check(stream.TryGetBuffer(out var buffer) && buffer.Count == 100_000);
        });
    }

    [Fact]
    public void Many_concurrent_streams_allocate_nothing_more()
    {
        var chunk = new byte[4096];
        var streams = new PooledStream[64];
        AssertAllocates(64 * StreamBytes, 64 * 10_000, () =>
        {
            for (var i = 0; i < streams.Length; i++)
            {
                streams[i] = _pool.Rent();
                Write(streams[i], 10_000, chunk);
            }

            foreach (var stream in streams)
            {
                stream.Dispose();
            }
        });
    }

    [Fact]
    public void The_shared_pool_allocates_nothing_more() => AssertAllocates(StreamBytes, 100, () =>
    {
        using var stream = StreamPool.Shared.Rent();
        stream.WriteByte(1);
    });

    private static StreamPool Make(long retained) => StreamPools.Make(
        Pools.Make<byte>(budget: retained), StreamPoolOptions.DefaultFirstBlockSize, StreamPoolOptions.DefaultMaxBlockSize);

    private static void Write(PooledStream stream, int size, byte[] chunk)
    {
        for (var left = size; left > 0; left -= chunk.Length)
        {
            stream.Write(chunk, 0, Math.Min(left, chunk.Length));
        }
    }

    // The framework's assertions allocate.
    private static void Check(bool condition)
    {
        if (!condition)
        {
            Assert.Fail("A cycle did not do what it is there for.");
        }
    }

    /// <summary>The least of three: a collection caused by another test may add a few bytes.</summary>
    private static void AssertAllocates(long bytesPerCycle, long size, Action cycle)
    {
        var cycles = (int)Math.Clamp(MostBytes / Math.Max(1, size), 3, MostCycles);
        Measure(cycle, Math.Min(cycles, 100));
        var least = Enumerable.Range(0, 3).Min(_ => Measure(cycle, cycles));

        // Where a cycle allocates, each collection blurs the sum by a few bytes.
        Assert.Equal(bytesPerCycle, bytesPerCycle == 0 ? least : least / cycles);
    }

    private static long Measure(Action cycle, int cycles)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < cycles; i++)
        {
            cycle();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
