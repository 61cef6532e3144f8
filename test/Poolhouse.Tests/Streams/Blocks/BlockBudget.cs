using Poolhouse.Testing;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Blocks;

/// <summary>Idle blocks count towards the budget of the array pool, whatever the streams do.</summary>
public sealed class BlockBudget
{
    [Theory]
    [InlineData(0)]
    [InlineData(1000)]
    [InlineData(64 << 10)]
    [InlineData(1 << 20)]
    public void The_bytes_retained_never_exceed_the_budget(long budget)
    {
        using var arrays = Pools.Make<byte>(budget: budget);
        using var pool = StreamPools.Make(arrays, 16, 4096);
        var alive = new Queue<PooledStream>();
        for (var i = 0; i < 3000; i++)
        {
            alive.Enqueue(pool.RentWith(StreamPools.Bytes(i % 700 * 13)));
            if (alive.Count > 40)
            {
                alive.Dequeue().Dispose();
                Assert.InRange(arrays.GetStatistics().RetainedBytes, 0, budget);
            }
        }

        while (alive.TryDequeue(out var stream))
        {
            stream.Dispose();
            Assert.InRange(arrays.GetStatistics().RetainedBytes, 0, budget);
        }

        Assert.Equal(0, arrays.AssertBalanced().Leased);
        Assert.Equal(0, arrays.GetStatistics().DoubleReturns);
    }

    [Fact]
    public void Streams_and_arrays_share_one_budget()
    {
        using var arrays = Pools.Make<byte>(budget: 4096);
        using var pool = StreamPools.Make(arrays, 1024, 1024);
        var held = arrays.RentMany(2, 1024);
        var stream = pool.RentWith(StreamPools.Bytes(4096));
        arrays.ReturnAll(held);
        stream.Dispose();

        var statistics = arrays.AssertBalanced();
        // The stream wrote to its first block as well.
        Assert.Equal((4096, 1), (statistics.RetainedBytes, statistics.Surplus));
    }

    [Fact]
    public void An_idle_stream_keeps_only_its_first_block()
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        var streams = Enumerable.Range(1, 7).Select(i => pool.RentWith(StreamPools.Bytes(i * 100))).ToList();
        streams.ForEach(stream => stream.Dispose());

        var statistics = pool.AssertBalanced();
        Assert.Equal((7, 7 * StreamPools.FirstBlock), (statistics.Retained, statistics.RetainedBytes));
        Assert.Equal(0, arrays.AssertBalanced().Leased);
        Assert.Equal(7, pool.Trim());
        Assert.Equal(0, pool.AssertBalanced().RetainedBytes);
        Assert.NotEqual(0, arrays.Trim());
        Assert.Equal(0, arrays.GetStatistics().RetainedBytes);
    }

    [Fact]
    public void A_stream_that_is_never_written_rents_no_array()
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        using var stream = pool.Rent(sizeHint: 1 << 20);

        Assert.Equal(0, arrays.GetStatistics().Rented);
    }

    [Fact]
    public void Idle_blocks_expire()
    {
        var clock = new ManualTimeProvider();
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions
        {
            IdleTimeout = TimeSpan.FromMinutes(4),
            TimeProvider = clock,
            MemoryPressure = new MemoryPressureSource(),
        });
        using var pool = StreamPools.Make(arrays);
        pool.RentWith(StreamPools.Bytes(10_000)).Dispose();
        Assert.InRange(arrays.GetStatistics().RetainedBytes, 10_000, long.MaxValue);
        using var alive = pool.RentWith(StreamPools.Bytes(100));

        clock.Advance(TimeSpan.FromMinutes(5));

        Assert.Equal((0, 0), (arrays.AssertBalanced().Retained, arrays.GetStatistics().RetainedBytes));
        Assert.Equal(StreamPools.Bytes(100), alive.ToArray());
    }

    [Fact]
    public void Idle_streams_expire()
    {
        var clock = new ManualTimeProvider();
        using var pool = StreamPools.Make(change: options =>
        {
            options.TimeProvider = clock;
            options.IdleTimeout = TimeSpan.FromMinutes(4);
        });
        pool.Rent().Dispose();
        Assert.Equal(1, pool.GetStatistics().Retained);

        clock.Advance(TimeSpan.FromMinutes(5));

        Assert.Equal(0, pool.AssertBalanced().Retained);
    }

    [Fact]
    public void At_most_MaxRetained_streams_are_retained()
    {
        using var pool = StreamPools.Make(change: options => options.MaxRetained = 5);
        var streams = Enumerable.Range(0, 20).Select(_ => pool.Rent()).ToList();
        streams.ForEach(stream => stream.Dispose());

        Assert.Equal((5, 15), (pool.AssertBalanced().Retained, pool.GetStatistics().Surplus));
        Assert.Equal(5, pool.Trim());
    }

    [Fact]
    public void Thousands_of_concurrent_streams_keep_their_own_content()
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        var streams = Enumerable.Range(0, 5000).Select(i => pool.RentWith(StreamPools.Bytes(i % 300, i))).ToList();

        Assert.Equal(5000, pool.GetStatistics().Leased);
        Assert.All(streams.Index(), each => Assert.Equal(StreamPools.Bytes(each.Index % 300, each.Index), each.Item.ToArray()));
        streams.ForEach(stream => stream.Dispose());
        Assert.Equal((0, 0), (arrays.AssertBalanced().Leased, pool.AssertBalanced().Leased));
    }

    [Fact]
    public void A_stream_that_fits_in_its_first_block_rents_no_array()
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        for (var length = 0; length <= StreamPools.FirstBlock; length++)
        {
            using var stream = pool.RentWith(StreamPools.Bytes(length));
            Assert.Equal(StreamPools.Bytes(length), stream.ToArray());
        }

        Assert.Equal((0, 1), (arrays.GetStatistics().Rented, pool.AssertBalanced().Created));
    }

    [Fact]
    public void A_shortened_stream_keeps_its_capacity_until_that_is_set_and_its_blocks_until_it_ends()
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        using var stream = pool.RentWith(StreamPools.Bytes(1000));
        var before = stream.Capacity;
        stream.SetLength(10);
        Assert.Equal(before, stream.Capacity);
        stream.Capacity = 10;

        Assert.InRange(stream.Capacity, 10, 64);
        Assert.Equal(StreamPools.Bytes(10), stream.ToArray());
        var rented = arrays.GetStatistics().Rented;
        stream.Capacity = before;
        Assert.Equal(rented, arrays.GetStatistics().Rented);
        stream.Dispose();
        Assert.Equal(0, arrays.GetStatistics().Leased);
    }

    [Fact]
    public void A_size_hint_is_met_by_the_first_block()
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays, 16, 4096);
        using var stream = pool.Rent(sizeHint: 1000);
        stream.WriteByte(1);

        Assert.Equal((1, 1024), (arrays.GetStatistics().Leased, stream.Capacity));
    }

    [Fact]
    public void A_write_on_a_disposed_array_pool_throws_and_the_stream_can_still_be_disposed()
    {
        var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        var stream = pool.RentWith(StreamPools.Bytes(16));
        arrays.Dispose();

        Assert.Throws<ObjectDisposedException>(() => stream.Write(StreamPools.Bytes(100)));
        Assert.Equal(StreamPools.Bytes(16), stream.ToArray());
        Assert.Equal((16, 16), (stream.Length, stream.Position));
        stream.Dispose();
        Assert.Equal(0, arrays.AssertBalanced().Leased);
    }
}
