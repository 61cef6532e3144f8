using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Poolhouse.Tests.Buffers;

public sealed class MemoryOwners
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly TieredMemoryPool<byte> _pool;

    public MemoryOwners() => _pool = new TieredMemoryPool<byte>(_arrays);

    public static TheoryData<int> Requests() => [-1, 0, 1, 15, 16, 17, 100, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1];

    [Theory]
    [MemberData(nameof(Requests))]
    public void A_memory_is_as_long_as_one_from_MemoryPool_Shared(int request)
    {
        Assert.Equal(LengthFrom(MemoryPool<byte>.Shared, request), LengthFrom(_pool, request));
        Assert.Equal(LengthFrom(MemoryPool<long>.Shared, request), LengthFrom(TieredMemoryPool<long>.Shared, request));
        Assert.Equal(LengthFrom(MemoryPool<string>.Shared, request), LengthFrom(TieredMemoryPool<string>.Shared, request));
    }

    [Fact]
    public void The_default_length_is_that_of_MemoryPool()
    {
        Assert.Equal(MemoryPool<byte>.Shared.Rent().Memory.Length, _pool.Rent().Memory.Length);
        Assert.Equal(4096, _pool.Rent().Memory.Length);
        Assert.Equal(MemoryPool<decimal>.Shared.Rent().Memory.Length, TieredMemoryPool<decimal>.Shared.Rent().Memory.Length);
        Assert.Equal(MemoryPool<Odd>.Shared.Rent().Memory.Length, TieredMemoryPool<Odd>.Shared.Rent().Memory.Length);
        Assert.Equal(MemoryPool<Block>.Shared.Rent().Memory.Length, TieredMemoryPool<Block>.Shared.Rent().Memory.Length);
    }

    [Fact]
    public void The_longest_length_is_that_of_MemoryPool() =>
        Assert.Equal(MemoryPool<byte>.Shared.MaxBufferSize, _pool.MaxBufferSize);

    [Theory]
    [InlineData(-2)]
    [InlineData(int.MinValue)]
    [InlineData(int.MaxValue)]
    public void A_length_out_of_range_is_rejected_as_by_MemoryPool(int length)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => MemoryPool<byte>.Shared.Rent(length));
        Assert.Throws<ArgumentOutOfRangeException>(() => _pool.Rent(length));
        Assert.Equal(0, _pool.GetStatistics().Rented);
    }

    [Fact]
    public void A_rejected_length_is_named_as_by_MemoryPool()
    {
        var expected = Assert.Throws<ArgumentOutOfRangeException>(() => MemoryPool<byte>.Shared.Rent(-2));

        Assert.Equal(expected.ParamName, Assert.Throws<ArgumentOutOfRangeException>(() => _pool.Rent(-2)).ParamName);
    }

    [Fact]
    public void A_memory_pool_over_null_is_rejected() =>
        Assert.Equal("arrays", Assert.Throws<ArgumentNullException>(() => new TieredMemoryPool<byte>(arrays: null!)).ParamName);

    [Fact]
    public void The_memory_of_a_disposed_owner_throws_as_in_MemoryPool()
    {
        Assert.All(new[] { MemoryPool<byte>.Shared, _pool }, pool =>
        {
            var owner = pool.Rent(100);
            owner.Dispose();

            Assert.Throws<ObjectDisposedException>(() => owner.Memory);
        });
    }

    [Fact]
    public void Disposing_an_owner_again_is_harmless_and_counted()
    {
        var owner = _pool.Rent(100);
        owner.Dispose();
        owner.Dispose();
        using var next = _pool.Rent(100);
        owner.Dispose();

        Assert.Equal(128, next.Memory.Length);
        var statistics = _pool.AssertBalanced();
        Assert.Equal((2, 1, 1), (statistics.DoubleReturns, statistics.Returned, statistics.Leased));
    }

    [Fact]
    public void Owners_of_one_array_are_different_objects_and_the_earlier_one_stays_disposed()
    {
        var late = _pool.Rent(100);
        late.Dispose();
        using var next = _pool.Rent(100);

        Assert.NotSame(late, next);
        Assert.Throws<ObjectDisposedException>(() => late.Memory);
        Assert.Equal(1, _pool.GetStatistics().Hits);
    }

    [Fact]
    public void Two_threads_disposing_an_owner_return_its_array_once()
    {
        var rounds = new Rounds(20_000);
        IMemoryOwner<byte>? owner = null;
        using var start = new Barrier(2, _ => owner = _pool.Rent(100));
        using var finish = new Barrier(2);
        Threads.Run(2, number =>
        {
            for (var round = 0; round < rounds.Count; round++)
            {
                if (number == 0)
                {
                    rounds.EndIfLate(round);
                }

                start.SignalAndWait();
                owner!.Dispose();
                finish.SignalAndWait();
            }
        });

        var statistics = _pool.AssertBalanced();
        Assert.Equal((rounds.Count, rounds.Count), (statistics.Returned, statistics.DoubleReturns));
    }

    [Fact]
    public void A_memory_exposes_its_array_as_that_of_MemoryPool_does()
    {
        using var owner = _pool.Rent(100);

        Assert.True(MemoryMarshal.TryGetArray<byte>(owner.Memory, out var segment));
        Assert.Equal((0, 128), (segment.Offset, segment.Count));
        using var pin = owner.Memory.Pin();
    }

    [Fact]
    public void A_memory_pool_over_an_array_pool_shares_its_arrays_and_counters()
    {
        var array = _arrays.Rent(100);
        _arrays.Return(array);
        var owner = _pool.Rent(100);

        Assert.True(MemoryMarshal.TryGetArray<byte>(owner.Memory, out var segment));
        Assert.Same(array, segment.Array);
        Assert.Equal(_arrays.GetStatistics().ToString(), _pool.GetStatistics().ToString());
        Assert.Equal(_arrays.Name, _pool.Name);
        owner.Dispose();
        Assert.Equal(1, _pool.Trim());
        Assert.Equal(0, _arrays.AssertBalanced().Retained);
    }

    [Fact]
    public void The_shared_memory_pool_uses_the_shared_array_pool()
    {
        Assert.Equal(TieredArrayPool<Block>.Shared.Name, TieredMemoryPool<Block>.Shared.Name);
        TieredMemoryPool<Block>.Shared.Rent(20).Dispose();

        Assert.Equal(
            TieredArrayPool<Block>.Shared.GetStatistics().ToString(), TieredMemoryPool<Block>.Shared.GetStatistics().ToString());
        Assert.NotEqual(0, TieredArrayPool<Block>.Shared.GetStatistics().Rented);
    }

    [Fact]
    public void Disposing_the_shared_pool_does_nothing_as_in_MemoryPool()
    {
        TieredMemoryPool<byte>.Shared.Dispose();

        Assert.Equal(16, LengthFrom(TieredMemoryPool<byte>.Shared, 1));
    }

    [Fact]
    public void A_memory_pool_disposes_its_own_array_pool_and_not_one_it_was_given()
    {
        var own = new TieredMemoryPool<byte>();
        own.Dispose();
        _pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => own.Rent(100));
        Assert.Equal(128, _arrays.Rent(100).Length);
    }

    [Fact]
    public void An_owner_outlives_its_pool_and_may_be_disposed()
    {
        var own = new TieredMemoryPool<byte>();
        var owner = own.Rent(100);
        own.Dispose();

        Assert.Equal(128, owner.Memory.Length);
        owner.Dispose();
        Assert.Equal(0, own.AssertBalanced().Retained + own.GetStatistics().Leased);
    }

    [Fact]
    public void The_pool_leases_exact_lengths_too()
    {
        using var lease = _pool.RentExact(100);

        Assert.Equal(100, lease.Memory.Length);
        Assert.Equal(1, _arrays.GetStatistics().Leased);
    }

    private static int LengthFrom<T>(MemoryPool<T> pool, int request)
    {
        using var owner = pool.Rent(request);
        return owner.Memory.Length;
    }

    /// <summary>32 of them are a little less than the default memory, and 33 a little more.</summary>
    [InlineArray(125)]
    private struct Odd
    {
        private byte _first;
    }

    /// <summary>Larger than the default memory.</summary>
    [InlineArray(5000)]
    private struct Block
    {
        private byte _first;
    }
}
