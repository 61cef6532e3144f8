using Poolhouse.Testing;

namespace Poolhouse.Tests.Objects;

public sealed class GuardedLeases
{
    private readonly TieredObjectPool<Item> _pool = new(() => new Item(), null, StatisticsAssert.Retaining(100));

    [Fact]
    public void A_lease_provides_the_item_and_returns_it()
    {
        Item item;
        using (var lease = _pool.Rent())
        {
            item = lease.Value;
            Assert.True(lease.IsActive);
        }

        using var next = _pool.Rent();
        Assert.Same(item, next.Value);
    }

    [Fact]
    public void The_first_end_through_any_copy_wins_and_later_ones_are_counted()
    {
        var lease = _pool.Rent();
        var copy = lease;
        copy.Dispose();
        lease.Dispose();
        lease.Discard();

        Assert.False(lease.IsActive);
        var statistics = _pool.GetStatistics();
        Assert.Equal((1, 2), (statistics.Returned, statistics.DoubleReturns));
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void A_late_use_throws_and_names_the_pool()
    {
        var lease = _pool.Rent();
        lease.Dispose();

        var error = Assert.Throws<ObjectDisposedException>(() => lease.Value);
        Assert.Contains(_pool.Name, error.Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => lease.Info);
        Assert.Throws<ObjectDisposedException>(() => lease.Detach());
    }

    [Fact]
    public void A_stale_lease_cannot_end_the_lease_of_the_next_owner()
    {
        var stale = _pool.Rent();
        stale.Dispose();
        var next = _pool.Rent();

        stale.Dispose();
        stale.Discard();

        Assert.True(next.IsActive);
        Assert.Throws<ObjectDisposedException>(() => stale.Value);
        Assert.NotSame(next.Value, _pool.Rent().Value);
    }

    [Fact]
    public void A_discarded_item_is_destroyed_and_not_reused()
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem());
        var lease = pool.Rent();
        var item = lease.Value;
        lease.Discard();

        Assert.Equal(1, item.Disposals);
        Assert.NotSame(item, pool.Rent().Value);
        Assert.Equal(1, pool.GetStatistics().Discarded);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void A_detached_item_belongs_to_the_caller()
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem());
        var lease = pool.Rent();
        var item = lease.Detach();
        lease.Dispose();
        pool.Dispose();

        Assert.Equal(0, item.Disposals);
        var statistics = pool.GetStatistics();
        Assert.Equal((1, 0, 1), (statistics.Detached, statistics.Leased, statistics.DoubleReturns));
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void The_default_lease_has_ended_and_ending_it_is_harmless()
    {
        var lease = default(Lease<Item>);
        lease.Dispose();
        lease.Discard();

        Assert.False(lease.IsActive);
        Assert.Throws<ObjectDisposedException>(() => lease.Value);
        Assert.Throws<ObjectDisposedException>(() => lease.Detach());
    }

    [Fact]
    public void A_default_lease_says_that_it_is_of_no_pool()
    {
        const string Expected =
            "The lease is a default value, which is not a lease of any pool. If TryRent returned false, nothing was rented.";

        Assert.All(
            new Action[]
            {
                () => _ = default(Lease<Item>).Value, () => _ = default(Lease<Item>).Info, () => default(Lease<Item>).Detach(),
                () => _ = default(BufferLease<byte>).Memory,
            },
            use => Assert.StartsWith(
                Expected, Assert.Throws<ObjectDisposedException>(use).Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Await_using_returns_the_item()
    {
        await using (var lease = _pool.Rent())
        {
            lease.Value.Uses++;
        }

        Assert.Equal(1, _pool.GetStatistics().Returned);
    }

    [Fact]
    public void Copies_of_a_lease_are_equal_and_different_leases_are_not()
    {
        var first = _pool.Rent();
        var copy = first;
        var second = _pool.Rent();

        Assert.True(first == copy);
        Assert.Equal(first.GetHashCode(), copy.GetHashCode());
        Assert.True(first != second);
        Assert.NotEqual(default, first);
    }

    [Fact]
    public void The_info_shows_uses_and_age()
    {
        var clock = new ManualTimeProvider();
        var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { TimeProvider = clock });
        pool.Rent().Dispose();
        clock.Advance(TimeSpan.FromSeconds(7));
        using var lease = pool.Rent();

        Assert.Equal(new LeaseInfo(2, TimeSpan.FromSeconds(7), TimeSpan.Zero), lease.Info);
    }

    [Fact]
    public void Plain_and_guarded_rents_share_the_items_and_the_bound()
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, StatisticsAssert.Retaining(2));
        var plain = pool.Get();
        pool.Return(plain);
        var lease = pool.Rent();
        Assert.Same(plain, lease.Value);
        lease.Dispose();
        Assert.Same(plain, pool.Get());

        var leases = Enumerable.Range(0, 3).Select(_ => pool.Rent()).ToList();
        leases.ForEach(each => each.Dispose());
        pool.Return(plain);

        Assert.Equal(2, pool.GetStatistics().Retained);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }
}
