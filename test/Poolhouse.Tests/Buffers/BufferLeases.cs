
namespace Poolhouse.Tests.Buffers;

public sealed class BufferLeases
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(1000)]
    [InlineData(1 << 20)]
    [InlineData((1 << 20) + 1)]
    public void A_lease_has_exactly_the_requested_length(int length)
    {
        for (var round = 0; round < 2; round++)
        {
            using var lease = _pool.RentExact(length);

            Assert.Equal(length, lease.Length);
            Assert.Equal(length, lease.Span.Length);
            Assert.Equal(length, lease.Memory.Length);
            Assert.Equal(length, lease.Segment.Count);
        }
    }

    [Fact]
    public void Span_memory_and_segment_show_the_same_elements()
    {
        using var lease = _pool.RentExact(3);
        lease.Span[0] = 1;
        lease.Memory.Span[1] = 2;
        lease.Segment.AsSpan()[2] = 3;

        Assert.Equal([1, 2, 3], lease.Span.ToArray());
    }

    [Fact]
    public void A_lease_of_an_array_too_long_to_pool_works_like_any_other()
    {
        const int length = (1 << 30) + 1;
        var lease = _pool.RentExact(length);
        Assert.Equal(length, lease.Span.Length);
        lease.Dispose();
        lease.Dispose();

        Assert.False(lease.IsActive);
        var statistics = _pool.AssertBalanced();
        Assert.Equal((1, 1, 1, 0), (statistics.Returned, statistics.Surplus, statistics.DoubleReturns, statistics.Retained));
    }

    [Fact]
    public void A_lease_that_ended_refuses_every_use()
    {
        var lease = _pool.RentExact(100);
        lease.Dispose();

        AssertEnded(lease);
        Assert.Equal(100, lease.Length);
    }

    [Fact]
    public void A_lease_that_ended_refuses_every_use_while_the_next_one_has_the_array()
    {
        var ended = _pool.RentExact(100);
        var array = ended.Segment.Array;
        ended.Dispose();
        using var next = _pool.RentExact(100);
        Assert.Same(array, next.Segment.Array);

        AssertEnded(ended);
        Assert.True(next.IsActive);
    }

    [Fact]
    public void Ending_a_stale_lease_does_not_affect_the_next_user_and_is_counted()
    {
        var stale = _pool.RentExact(100);
        stale.Dispose();
        var next = _pool.RentExact(100);
        next.Span.Fill(7);
        stale.Dispose();
        stale.Discard();
        Assert.Throws<ObjectDisposedException>(() => stale.Detach());

        Assert.True(next.IsActive);
        Assert.Equal(-1, next.Span.IndexOfAnyExcept((byte)7));
        Assert.Equal(3, _pool.AssertBalanced().DoubleReturns);
        Assert.Equal(1, _pool.GetStatistics().Leased);
        next.Dispose();
        Assert.Equal(2, _pool.AssertBalanced().Returned);
    }

    [Fact]
    public void A_lease_whose_array_was_rented_again_without_a_lease_stays_ended()
    {
        var stale = _pool.RentExact(100);
        var array = stale.Segment.Array!;
        stale.Dispose();
        Assert.Same(array, _pool.Rent(100));
        AssertEnded(stale);
        stale.Dispose();
        _pool.Return(array);
        using var next = _pool.RentExact(100);

        Assert.Same(array, next.Segment.Array);
        AssertEnded(stale);
        Assert.NotEqual(stale, next);
    }

    [Fact]
    public void All_copies_of_a_lease_end_together()
    {
        var lease = _pool.RentExact(100);
        var copy = lease;
        var boxed = (object)lease;
        Assert.Equal(lease, copy);
        Assert.True(lease == copy);
        Assert.True(lease.Equals(boxed));
        Assert.Equal(lease.GetHashCode(), copy.GetHashCode());

        copy.Dispose();

        AssertEnded(lease);
        AssertEnded((BufferLease<byte>)boxed);
        ((IDisposable)boxed).Dispose();
        lease.Dispose();
        Assert.Equal((1, 2), (_pool.AssertBalanced().Returned, _pool.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void Different_leases_of_the_same_array_are_not_equal()
    {
        var first = _pool.RentExact(100);
        using var second = _pool.RentExact(100);
        Assert.True(first != second);
        first.Dispose();
        using var third = _pool.RentExact(100);

        Assert.NotEqual(first, third);
    }

    [Fact]
    public void The_default_lease_has_ended_and_ending_it_does_nothing()
    {
        var lease = default(BufferLease<byte>);
        lease.Dispose();
        lease.Discard();

        AssertEnded(lease);
        Assert.Equal(0, lease.Length);
        Assert.Throws<ObjectDisposedException>(() => lease.Detach());
        Assert.True(lease == default);
    }

    [Fact]
    public void A_discarded_array_is_not_rented_again()
    {
        var lease = _pool.RentExact(100);
        var array = lease.Segment.Array;
        lease.Discard();
        AssertEnded(lease);
        using var next = _pool.RentExact(100);

        Assert.NotSame(array, next.Segment.Array);
        var statistics = _pool.AssertBalanced();
        Assert.Equal((1, 0, 1), (statistics.Discarded, statistics.Returned, statistics.Destroyed));
    }

    [Fact]
    public void A_detached_array_belongs_to_the_caller_and_is_not_rented_again()
    {
        var lease = _pool.RentExact(100);
        var array = lease.Segment.Array;
        lease.Span.Fill(7);
        var mine = lease.Detach();
        AssertEnded(lease);
        using var next = _pool.RentExact(100);
        next.Span.Fill(1);

        Assert.Same(array, mine.Array);
        Assert.Equal(100, mine.Count);
        Assert.All(mine, element => Assert.Equal(7, element));
        var statistics = _pool.AssertBalanced();
        Assert.Equal((1, 0, 1), (statistics.Detached, statistics.Returned, statistics.Leased));
    }

    [Fact]
    public void A_detached_array_may_be_returned_to_the_pool()
    {
        var array = _pool.RentExact(100).Detach().Array!;
        _pool.Return(array);

        Assert.Same(array, _pool.Rent(100));
    }

    [Fact]
    public void The_error_of_an_ended_lease_names_the_pool()
    {
        var lease = _pool.RentExact(1);
        lease.Dispose();

        var error = Assert.Throws<ObjectDisposedException>(() => lease.Memory);
        Assert.Contains($"'{_pool.Name}'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Plain_and_leased_rents_share_arrays()
    {
        var plain = _pool.RentMany(3, 100);
        _pool.ReturnAll(plain);
        var leases = new[] { _pool.RentExact(100), _pool.RentExact(100), _pool.RentExact(100) };
        Assert.Equal(plain.ToHashSet(), leases.Select(lease => lease.Segment.Array!).ToHashSet());
        Array.ForEach(leases, lease => lease.Dispose());

        Assert.Equal(plain.ToHashSet(), _pool.RentMany(3, 100).ToHashSet());
        Assert.Equal(3, _pool.AssertBalanced().Created);
    }

    private static void AssertEnded(BufferLease<byte> lease)
    {
        Assert.False(lease.IsActive);
        Assert.Throws<ObjectDisposedException>(() => lease.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => lease.Memory);
        Assert.Throws<ObjectDisposedException>(() => lease.Segment);
    }
}
