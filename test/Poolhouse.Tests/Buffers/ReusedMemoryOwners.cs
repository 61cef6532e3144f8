
namespace Poolhouse.Tests.Buffers;

/// <summary>Reused owners allocate nothing and cannot distinguish one rent from the next; both facts are documented.</summary>
public sealed class ReusedMemoryOwners
{
    private readonly TieredMemoryPool<byte> _pool = new(Pools.Make<byte>(), reuseOwners: true);

    [Fact]
    public void Each_rent_of_an_array_returns_the_same_owner_object()
    {
        var first = _pool.Rent(100);
        first.Dispose();

        Assert.Same(first, _pool.Rent(100));
    }

    [Fact]
    public void Arrays_rented_at_the_same_time_have_different_owners()
    {
        using var first = _pool.Rent(100);
        using var second = _pool.Rent(100);

        Assert.NotSame(first, second);
        Assert.False(first.Memory.Equals(second.Memory));
    }

    [Fact]
    public void A_disposed_owner_is_guarded_until_the_memory_is_rented_again()
    {
        var owner = _pool.Rent(100);
        owner.Dispose();
        owner.Dispose();

        Assert.Throws<ObjectDisposedException>(() => owner.Memory);
        Assert.Equal(1, _pool.AssertBalanced().DoubleReturns);
    }

    [Fact]
    public void A_late_disposal_then_ends_the_next_rent_which_detects_it()
    {
        var late = _pool.Rent(100);
        late.Dispose();
        var next = _pool.Rent(100);
        late.Dispose();

        Assert.Throws<ObjectDisposedException>(() => next.Memory);
        next.Dispose();
        Assert.Equal((2, 1), (_pool.AssertBalanced().Returned, _pool.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void An_exact_lease_in_between_does_not_revive_the_owner()
    {
        var owner = _pool.Rent(100);
        owner.Dispose();
        using var lease = _pool.RentExact(100);

        Assert.Throws<ObjectDisposedException>(() => owner.Memory);
        owner.Dispose();
        Assert.True(lease.IsActive);
    }
}
