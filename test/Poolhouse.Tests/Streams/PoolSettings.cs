using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

public sealed class PoolSettings
{
    [Fact]
    public void The_defaults_are_the_documented_ones()
    {
        var options = new StreamPoolOptions();

        Assert.Equal(1024, options.MaxRetained);
        Assert.Null(options.Arrays);
        Assert.Equal(1024, options.FirstBlockSize);
        Assert.Equal(1 << 20, options.MaxBlockSize);
        Assert.Equal(1L << 40, options.MaxLength);
        Assert.False(options.ThrowExceptionOnToArray);
        Assert.Null(options.Observer);
        using var pool = new StreamPool(options);
        Assert.Same(TieredArrayPool<byte>.Shared, pool.Arrays);
        Assert.Same(TieredArrayPool<byte>.Shared, StreamPool.Shared.Arrays);
        Assert.Equal(1L << 40, StreamPool.Shared.MaxLength);
    }

    [Fact]
    public void One_error_names_every_invalid_setting()
    {
        var options = new StreamPoolOptions
        {
            MaxRetained = 0,
            FirstBlockSize = 100,
            MaxBlockSize = 1000,
            MaxLength = 0,
            IdleTimeout = default,
            Name = " ",
        };

        var error = Assert.Throws<ArgumentException>(() => new StreamPool(options));
        Assert.Equal("options", error.ParamName);
        Assert.All(
            [
                "MaxRetained is 0", "FirstBlockSize is 100", "MaxBlockSize is 1000", "MaxLength is 0", "IdleTimeout is 00:00:00",
                "Name is \" \"",
            ],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(1_024, 512, "MaxBlockSize is 512; allowed: a power of two from FirstBlockSize (1024) to 1,073,741,824.")]
    [InlineData(1_024, 100, "MaxBlockSize is 100; allowed: a power of two from 16 to 1,073,741,824.")]
    [InlineData(128, 64, "FirstBlockSize is 128; allowed: a power of two from 16 to MaxBlockSize (64).")]
    [InlineData(17, 64, "FirstBlockSize is 17; allowed: a power of two from 16 to MaxBlockSize (64).")]
    public void One_invalid_block_size_is_one_error_that_names_it(int first, int max, string expected)
    {
        var error = Assert.Throws<ArgumentException>(
            "options", () => new StreamPool(new StreamPoolOptions { FirstBlockSize = first, MaxBlockSize = max }));

        Assert.Equal($"Invalid pool options. {expected} (Parameter 'options')", error.Message);
    }

    [Theory]
    [InlineData(8, 64)]
    [InlineData(17, 64)]
    [InlineData(128, 64)]
    [InlineData(0, 64)]
    [InlineData(-16, 64)]
    [InlineData(int.MinValue, 64)]
    [InlineData(16, 8)]
    [InlineData(16, 100)]
    [InlineData(16, -64)]
    [InlineData(16, int.MinValue)]
    [InlineData(16, int.MaxValue)]
    public void Block_sizes_are_powers_of_two_in_their_order(int first, int max) =>
        Assert.Throws<ArgumentException>(() => StreamPools.Make(null, first, max));

    [Theory]
    [InlineData(16, 16)]
    [InlineData(16, 1 << 30)]
    [InlineData(1 << 30, 1 << 30)]
    public void The_ends_of_the_block_sizes_range_are_allowed(int first, int max)
    {
        using var pool = StreamPools.Make(null, first, max);
        using var stream = pool.Rent();

        Assert.Equal(0, stream.Length);
    }

    [Fact]
    public void Options_changed_after_construction_have_no_effect()
    {
        var options = new StreamPoolOptions { Arrays = Pools.Make<byte>(), FirstBlockSize = 16, MaxBlockSize = 16 };
        using var pool = new StreamPool(options);
        options.FirstBlockSize = 32;
        options.MaxLength = 1;
        options.ThrowExceptionOnToArray = true;
        using var stream = pool.RentWith([1, 2]);

        Assert.Equal(16, stream.Capacity);
        Assert.Equal([1, 2], stream.ToArray());
    }

    [Fact]
    public void A_pool_without_a_name_gets_one()
    {
        using var first = new StreamPool();
        using var second = new StreamPool();
        using var named = new StreamPool(new StreamPoolOptions { Name = "orders" });

        Assert.Equal((nameof(PooledStream), nameof(PooledStream)), (first.Name, second.Name));
        Assert.Equal("orders", named.Name);
    }

    [Fact]
    public void A_negative_size_hint_is_rejected()
    {
        using var pool = StreamPools.Make();

        Assert.Throws<ArgumentOutOfRangeException>("sizeHint", () => pool.Rent(null, -1));
        Assert.Throws<ArgumentOutOfRangeException>("sizeHint", () => pool.AsFactory(null, -1));
        Assert.Equal(0, pool.GetStatistics().Rented);
    }

    [Fact]
    public void A_size_hint_beyond_the_longest_array_is_accepted()
    {
        using var pool = StreamPools.Make();
        using var stream = pool.Rent(sizeHint: long.MaxValue);
        stream.Write(StreamPools.Bytes(100));

        Assert.Equal(StreamPools.Bytes(100), stream.ToArray());
    }

    [Fact]
    public void A_factory_rents_a_stream_each_time()
    {
        using var pool = StreamPools.Make();
        var factory = pool.AsFactory("uploads", 100);
        using var first = factory();
        using var second = factory();

        Assert.NotSame(first, second);
        Assert.Equal("uploads", Assert.IsType<PooledStream>(first).Tag);
        Assert.Equal(2, pool.GetStatistics().Leased);
    }

    [Fact]
    public void ToArray_can_be_disabled()
    {
        using var pool = StreamPools.Make(change: options => options.ThrowExceptionOnToArray = true);
        using var stream = pool.RentWith(StreamPools.Bytes(100));

        Assert.Throws<NotSupportedException>(() => stream.ToArray());
        Assert.Equal(StreamPools.Bytes(100), stream.GetBuffer()[..100]);
        Assert.Equal(100, stream.WrittenSequence.Length);
        stream.Dispose();
        Assert.Throws<ObjectDisposedException>(() => stream.ToArray());
    }

    [Fact]
    public void A_disposed_pool_refuses_to_rent_and_accepts_returns()
    {
        var arrays = Pools.Make<byte>();
        var pool = StreamPools.Make(arrays);
        var stream = pool.RentWith(StreamPools.Bytes(100));
        pool.Dispose();
        pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
        Assert.Throws<ObjectDisposedException>(() => pool.AsFactory()());
        stream.Write(StreamPools.Bytes(100));
        Assert.Equal(200, stream.Length);
        stream.Dispose();
        Assert.Equal(0, arrays.AssertBalanced().Leased);
        Assert.Equal((0, 0), (pool.AssertBalanced().Leased, pool.GetStatistics().Retained));
    }
}
