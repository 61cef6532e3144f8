using System.Runtime.InteropServices;

namespace Poolhouse.Tests.Buffers;

/// <summary>Content of a sensitive pool never outlives the return, however the array ends.</summary>
public sealed class SensitiveBuffers
{
    private const int OverLong = (1 << 30) + 1;

    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>(ClearPolicy.Sensitive);

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(4096)]
    [InlineData(1 << 20)]
    public void A_returned_array_is_zero(int length)
    {
        var array = Fill(_pool.Rent(length));
        _pool.Return(array);

        AssertZero(array);
        Assert.Same(array, _pool.Rent(length));
    }

    [Fact]
    public void A_leased_array_is_zero_after_the_lease()
    {
        var lease = _pool.RentExact(100);
        var array = Fill(lease.Segment.Array!);
        lease.Dispose();

        AssertZero(array);
    }

    [Fact]
    public void A_memory_is_zero_after_its_owner_was_disposed()
    {
        using var memories = new TieredMemoryPool<byte>(_pool);
        var owner = memories.Rent(100);
        var memory = owner.Memory;
        memory.Span.Fill(byte.MaxValue);
        owner.Dispose();

        Assert.Equal(-1, memory.Span.IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void A_discarded_array_is_zero()
    {
        var lease = _pool.RentExact(100);
        var array = Fill(lease.Segment.Array!);
        lease.Discard();

        AssertZero(array);
        Assert.Equal(0, _pool.AssertBalanced().Retained);
    }

    [Fact]
    public void A_surplus_array_is_zero()
    {
        using var keepsNothing = Pools.Make<byte>(ClearPolicy.Sensitive, budget: 0);
        var plain = Fill(keepsNothing.Rent(100));
        var lease = keepsNothing.RentExact(100);
        var leased = Fill(lease.Segment.Array!);
        keepsNothing.Return(plain);
        lease.Dispose();

        AssertZero(plain);
        AssertZero(leased);
        Assert.Equal(2, keepsNothing.AssertBalanced().Surplus);
    }

    [Fact]
    public void An_array_returned_after_the_pool_was_disposed_is_zero()
    {
        var plain = Fill(_pool.Rent(100));
        var lease = _pool.RentExact(100);
        var leased = Fill(lease.Segment.Array!);
        var discarded = _pool.RentExact(100);
        var dropped = Fill(discarded.Segment.Array!);
        _pool.Dispose();
        _pool.Return(plain);
        lease.Dispose();
        discarded.Discard();

        AssertZero(plain);
        AssertZero(leased);
        AssertZero(dropped);
    }

    [Fact]
    public void A_trimmed_array_is_zero()
    {
        var array = Fill(_pool.Rent(100));
        _pool.Return(array);

        Assert.Equal(1, _pool.Trim());
        AssertZero(array);
    }

    [Fact]
    public void An_array_too_long_to_pool_is_zero_after_the_lease_and_after_the_return()
    {
        var lease = _pool.RentExact(OverLong);
        var array = lease.Segment.Array!;
        array[OverLong - 1] = array[0] = 7;
        lease.Dispose();
        Assert.Equal(0, array[0] | array[OverLong - 1]);

        array[OverLong - 1] = array[0] = 7;
        _pool.Return(array);
        Assert.Equal(0, array[0] | array[OverLong - 1]);
        Assert.Equal(2, _pool.GetStatistics().Surplus);
    }

    [Fact]
    public void A_buffer_writer_clears_the_arrays_it_outgrew()
    {
        using var writer = new PooledBufferWriter<byte>(16, _pool);
        var outgrown = new List<byte[]>();
        foreach (var size in new[] { 16, 32, 64, 128 })
        {
            var span = writer.GetMemory(size);
            Assert.True(MemoryMarshal.TryGetArray<byte>(span, out var segment));
            outgrown.Add(segment.Array!);
            span.Span[..size].Fill(byte.MaxValue);
            writer.Advance(size);
        }

        writer.Dispose();
        Assert.Equal(outgrown.Count, outgrown.Distinct().Count());
        Assert.All(outgrown, AssertZero);
    }

    [Fact]
    public void The_next_user_on_any_thread_finds_zeros()
    {
        const int rounds = 20_000;
        Threads.Run(3, _ =>
        {
            for (var round = 0; round < rounds; round++)
            {
                var array = _pool.Rent(64);
                Assert.Equal(-1, array.AsSpan().IndexOfAnyExcept((byte)0));
                Fill(array);
                _pool.Return(array);
                if (round % 1000 == 0)
                {
                    _pool.Trim();
                }
            }
        });
    }

    [Fact]
    public void A_detached_array_belongs_to_its_new_owner_and_keeps_its_content()
    {
        var lease = _pool.RentExact(3);
        lease.Span.Fill(7);

        Assert.Equal([7, 7, 7], lease.Detach().ToArray());
    }

    private static byte[] Fill(byte[] array)
    {
        Array.Fill(array, byte.MaxValue);
        return array;
    }

    private static void AssertZero(byte[] array) => Assert.Equal(-1, array.AsSpan().IndexOfAnyExcept((byte)0));
}
