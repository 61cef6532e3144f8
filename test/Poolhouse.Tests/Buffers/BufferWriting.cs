using System.Buffers;

namespace Poolhouse.Tests.Buffers;

public sealed class BufferWriting
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Theory]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(100)]
    [InlineData(5000)]
    public void A_new_writer_is_empty_and_has_the_requested_capacity(int capacity)
    {
        using var writer = new PooledBufferWriter<byte>(capacity, _pool);

        Assert.Equal(0, writer.WrittenCount);
        Assert.True(writer.WrittenSpan.IsEmpty);
        Assert.True(writer.WrittenMemory.IsEmpty);
        Assert.InRange(writer.Capacity, capacity, int.MaxValue);
        Assert.Equal(writer.Capacity, writer.FreeCapacity);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void A_capacity_below_one_is_rejected_as_by_ArrayBufferWriter(int capacity)
    {
        var expected = Assert.ThrowsAny<ArgumentException>(() => new ArrayBufferWriter<byte>(capacity));
        var actual = Assert.ThrowsAny<ArgumentException>(() => new PooledBufferWriter<byte>(capacity, _pool));

        Assert.Equal(expected.ParamName, actual.ParamName);
        Assert.Equal(0, _pool.GetStatistics().Rented);
    }

    [Fact]
    public void Advancing_without_requesting_memory_exposes_only_zeros()
    {
        using var pool = Pools.Make<byte>();
        var others = pool.RentMany(20, 64);
        Assert.All(others, array => Array.Fill<byte>(array, 9));
        pool.ReturnAll(others);
        using var writer = new PooledBufferWriter<byte>(64, pool);
        writer.Advance(30);
        writer.Advance(writer.FreeCapacity);

        Assert.Equal(new byte[64], writer.WrittenSpan.ToArray());
    }

    [Fact]
    public void What_was_written_before_a_second_request_is_kept()
    {
        var other = _pool.Rent(128);
        Array.Fill<byte>(other, 9);
        _pool.Return(other);
        using var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.GetSpan(4)[..4].Fill(1);
        Assert.InRange(writer.GetSpan(100).Length, 100, int.MaxValue);
        writer.Advance(4);

        Assert.Equal([1, 1, 1, 1], writer.WrittenSpan.ToArray());
    }

    [Fact]
    public void By_default_the_arrays_come_from_the_shared_pool_and_256_elements_fit()
    {
        using var writer = new PooledBufferWriter<Guid>();

        Assert.InRange(writer.Capacity, 256, int.MaxValue);
        Assert.NotEqual(0, TieredArrayPool<Guid>.Shared.GetStatistics().Leased);
    }

    [Fact]
    public void Every_extension_method_of_IBufferWriter_works()
    {
        using var writer = new PooledBufferWriter<byte>(1, _pool);
        writer.Write("Hello "u8);
        writer.Write(new byte[1000]);

        Assert.Equal(1006, writer.WrittenCount);
        Assert.True(writer.WrittenSpan.StartsWith("Hello "u8));
    }

    [Fact]
    public void Growing_doubles_and_keeps_what_was_written()
    {
        using var writer = new PooledBufferWriter<byte>(16, _pool);
        var seen = new List<int>();
        for (var i = 0; i < 1000; i++)
        {
            writer.GetSpan(1)[0] = (byte)i;
            writer.Advance(1);
            if (seen.Count == 0 || seen[^1] != writer.Capacity)
            {
                seen.Add(writer.Capacity);
            }
        }

        Assert.Equal([16, 32, 64, 128, 256, 512, 1024], seen);
        Assert.Equal(Enumerable.Range(0, 1000).Select(i => (byte)i), writer.WrittenMemory.ToArray());
    }

    [Fact]
    public void A_writer_holds_one_array_and_returns_the_ones_it_outgrew()
    {
        var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write(new byte[5000]);
        Assert.Equal(1, _pool.AssertBalanced().Leased);

        writer.Dispose();

        var statistics = _pool.AssertBalanced();
        Assert.Equal((0, 0), (statistics.Leased, statistics.DoubleReturns));
        Assert.Equal(statistics.Rented, statistics.Returned);
    }

    /// <summary>Memory may be written to until Advance, however often a caller requests more before that (I31).</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Writing_to_an_earlier_offered_span_never_reaches_another_user(int growths)
    {
        using var writer = new PooledBufferWriter<byte>(64, _pool);
        var offers = new List<Memory<byte>>();
        for (var growth = 0; growth <= growths; growth++)
        {
            offers.Add(writer.GetMemory(64 << growth));
        }

        var others = Enumerable.Range(0, 5).SelectMany(i => _pool.RentMany(20, 64 << i)).ToArray();
        Assert.All(others, array => Array.Clear(array));
        offers.ForEach(offer => offer.Span.Fill(9));

        Assert.All(others, array => Assert.False(array.AsSpan().Contains((byte)9)));
        writer.Advance(64 << growths);
        Assert.True(writer.WrittenSpan.IndexOfAnyExcept((byte)9) < 0);
        _pool.ReturnAll(others);
    }

    /// <summary>The same, when the writer was used before and what was written was cleared or forgotten in between.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_offered_span_stays_valid_after_Clear_and_ResetWrittenCount(bool clears)
    {
        using var writer = new PooledBufferWriter<byte>(64, _pool);
        writer.Write(new byte[10]);
        var offer = writer.GetMemory(10);
        (clears ? (Action)writer.Clear : writer.ResetWrittenCount)();
        writer.GetSpan(1_000);
        var others = _pool.RentMany(20, 64);
        Assert.All(others, array => Array.Clear(array));
        offer.Span.Fill(9);

        Assert.All(others, array => Assert.False(array.AsSpan().Contains((byte)9)));
        _pool.ReturnAll(others);
    }

    [Fact]
    public void Clear_overwrites_the_content_and_ResetWrittenCount_does_not()
    {
        using var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write<byte>([1, 2, 3]);
        writer.ResetWrittenCount();
        Assert.Equal([1, 2, 3], writer.GetSpan(3)[..3].ToArray());

        writer.Advance(3);
        writer.Clear();

        Assert.Equal([0, 0, 0], writer.GetSpan(3)[..3].ToArray());
        Assert.Equal(0, writer.WrittenCount);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(100_000)]
    public void A_size_hint_is_met_and_the_span_is_never_empty(int hint)
    {
        using var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write(new byte[16]);

        Assert.InRange(writer.GetSpan(hint).Length, Math.Max(1, hint), int.MaxValue);
        Assert.InRange(writer.GetMemory(hint).Length, Math.Max(1, hint), int.MaxValue);
    }

    [Fact]
    public void A_size_hint_beyond_the_longest_array_throws_OutOfMemoryException_and_keeps_the_content()
    {
        var theirs = new ArrayBufferWriter<byte>(16);
        theirs.Write<byte>([1, 2, 3]);
        Assert.Throws<OutOfMemoryException>(() => theirs.GetSpan(int.MaxValue).Length);
        using var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write<byte>([1, 2, 3]);

        Assert.Throws<OutOfMemoryException>(() => writer.GetSpan(int.MaxValue).Length);
        Assert.Throws<OutOfMemoryException>(() => writer.GetMemory(Array.MaxLength - 2));
        Assert.Equal([1, 2, 3], writer.WrittenSpan.ToArray());
        Assert.Equal(1, _pool.AssertBalanced().Leased);
    }

    [Fact]
    public void A_disposed_writer_refuses_every_use()
    {
        var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write<byte>([1]);
        writer.Dispose();

        AssertUnusable(writer);
    }

    [Fact]
    public void Disposing_again_does_nothing()
    {
        var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Dispose();
        writer.Dispose();
        using var next = _pool.RentExact(16);
        writer.Dispose();

        Assert.True(next.IsActive);
        var statistics = _pool.AssertBalanced();
        Assert.Equal((1, 0), (statistics.Returned, statistics.DoubleReturns));
    }

    [Fact]
    public void Two_threads_disposing_a_writer_return_its_array_once()
    {
        const int rounds = 20_000;
        PooledBufferWriter<byte>? writer = null;
        using var start = new Barrier(2, _ => writer = new PooledBufferWriter<byte>(16, _pool));
        using var finish = new Barrier(2);
        Threads.Run(2, _ =>
        {
            for (var round = 0; round < rounds; round++)
            {
                start.SignalAndWait();
                writer!.Dispose();
                finish.SignalAndWait();
            }
        });

        var statistics = _pool.AssertBalanced();
        Assert.Equal((rounds, 0), (statistics.Returned, statistics.Leased));
    }

    [Fact]
    public void A_writer_whose_pool_was_disposed_keeps_its_content_and_cannot_grow()
    {
        var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write<byte>([1, 2, 3]);
        _pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => writer.GetSpan(1000).Length);
        Assert.Equal([1, 2, 3], writer.WrittenSpan.ToArray());
        writer.Dispose();
        Assert.Equal(0, _pool.AssertBalanced().Leased);
    }

    [Fact]
    public void Detaching_returns_exactly_the_written_content_without_a_copy()
    {
        var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write<byte>([1, 2, 3]);
        var memory = writer.WrittenMemory;
        using var buffer = writer.DetachBuffer();

        Assert.Equal(3, buffer.Length);
        Assert.Equal(memory, buffer.Memory);
        Assert.Equal([1, 2, 3], buffer.Span.ToArray());
        Assert.Equal(1, _pool.AssertBalanced().Leased);
    }

    [Fact]
    public void After_detaching_the_writer_refuses_every_use_and_its_disposal_does_not_affect_the_buffer()
    {
        var writer = new PooledBufferWriter<byte>(16, _pool);
        writer.Write<byte>([1, 2, 3]);
        var buffer = writer.DetachBuffer();
        writer.Dispose();

        AssertUnusable(writer);
        Assert.True(buffer.IsActive);
        buffer.Dispose();
        var statistics = _pool.AssertBalanced();
        Assert.Equal((1, 0, 0), (statistics.Returned, statistics.Leased, statistics.DoubleReturns));
    }

    [Fact]
    public void An_empty_writer_detaches_an_empty_buffer()
    {
        using var buffer = new PooledBufferWriter<byte>(16, _pool).DetachBuffer();

        Assert.Equal(0, buffer.Length);
        Assert.True(buffer.Memory.IsEmpty);
    }

    private static void AssertUnusable(PooledBufferWriter<byte> writer) => Assert.All(
        new Action[]
        {
            () => writer.GetSpan(),
            () => writer.GetSpan(5000),
            () => writer.GetMemory(),
            () => writer.Advance(0),
            () => writer.Advance(1),
            writer.Clear,
            writer.ResetWrittenCount,
            () => _ = writer.WrittenSpan.Length,
            () => _ = writer.WrittenMemory,
            () => _ = writer.Capacity,
            () => _ = writer.FreeCapacity,
            () => writer.DetachBuffer(),
        },
        use =>
        {
            var error = Assert.Throws<ObjectDisposedException>(use);
            Assert.Equal("PooledBufferWriter", error.ObjectName);
            Assert.Contains("disposed or detached", error.Message, StringComparison.Ordinal);
        });
}
