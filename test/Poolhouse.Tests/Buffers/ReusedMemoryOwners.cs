
namespace Poolhouse.Tests.Buffers;

/// <summary>Owners that are used again cost nothing and cannot tell one rent from the next: both is documented.</summary>
public sealed class ReusedMemoryOwners
{
    private readonly TieredMemoryPool<byte> _pool = new(Pools.Make<byte>(), reuseOwners: true);

    [Fact]
    public void The_owner_of_an_array_is_the_same_object_at_each_rent()
    {
        var first = _pool.Rent(100);
        first.Dispose();

        Assert.Same(first, _pool.Rent(100));
    }

    [Fact]
    public void Arrays_rented_at_once_have_owners_of_their_own()
    {
        using var first = _pool.Rent(100);
        using var second = _pool.Rent(100);

        Assert.NotSame(first, second);
        Assert.False(first.Memory.Equals(second.Memory));
    }

    [Fact]
    public void Until_the_memory_is_rented_again_a_disposed_owner_is_guarded()
    {
        var owner = _pool.Rent(100);
        owner.Dispose();
        owner.Dispose();

        Assert.Throws<ObjectDisposedException>(() => owner.Memory);
        Assert.Equal(1, _pool.AssertBooksAddUp().DoubleReturns);
    }

    [Fact]
    public void After_that_a_late_disposal_ends_the_next_rent_which_notices_it()
    {
        var late = _pool.Rent(100);
        late.Dispose();
        var next = _pool.Rent(100);
        late.Dispose();

        Assert.Throws<ObjectDisposedException>(() => next.Memory);
        next.Dispose();
        Assert.Equal((2, 1), (_pool.AssertBooksAddUp().Returned, _pool.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void An_exact_lease_in_between_does_not_wake_the_owner()
    {
        var owner = _pool.Rent(100);
        owner.Dispose();
        using var lease = _pool.RentExact(100);

        Assert.Throws<ObjectDisposedException>(() => owner.Memory);
        owner.Dispose();
        Assert.True(lease.IsActive);
    }
}
