using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tests.Objects;

public sealed class PolicyFaults
{
    [Fact]
    public void An_exception_of_Create_reaches_the_caller_unchanged_and_loses_no_capacity()
    {
        var failure = new InvalidOperationException("no luck");
        var fails = true;
        var pool = new TieredObjectPool<Item>(() => fails ? throw failure : new Item());

        Assert.Same(failure, Assert.Throws<InvalidOperationException>(() => pool.Get()));
        Assert.Same(failure, Assert.Throws<InvalidOperationException>(() => pool.Rent()));
        Assert.Same(failure, Assert.Throws<InvalidOperationException>(() => pool.Prefill(1)));
        fails = false;
        pool.Return(pool.Get());

        var statistics = pool.GetStatistics();
        Assert.Equal((1, 1, 1), (statistics.Created, statistics.Rented, statistics.Retained));
        StatisticsAssert.Balanced(statistics);
    }

    [Fact]
    public void An_exception_of_the_reset_reaches_the_caller_and_the_item_is_destroyed()
    {
        var failure = new InvalidOperationException("dirty");
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), _ => throw failure);
        var plain = pool.Get();
        var lease = pool.Rent();
        var leased = lease.Value;

        Assert.Same(failure, Assert.Throws<InvalidOperationException>(() => pool.Return(plain)));
        Assert.Same(failure, Assert.Throws<InvalidOperationException>(lease.Dispose));

        Assert.Equal((1, 1), (plain.Disposals, leased.Disposals));
        Assert.Equal(2, pool.GetStatistics().Refused);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void A_reset_that_throws_loses_no_capacity()
    {
        var throws = false;
        var pool = new TieredObjectPool<Item>(
            () => new Item(), _ => throws ? throw new InvalidOperationException() : true, StatisticsAssert.Retaining(4));
        for (var i = 0; i < 10; i++)
        {
            throws = true;
            Assert.Throws<InvalidOperationException>(() => pool.Return(pool.Get()));
        }

        throws = false;
        var items = Enumerable.Range(0, 4).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);

        Assert.Equal(4, pool.GetStatistics().Retained);
    }

    [Fact]
    public void A_create_that_returns_null_is_an_error_at_once()
    {
        var pool = new TieredObjectPool<Item>(() => null!, null, new ObjectPoolOptions { Name = "nothing" });

        var error = Assert.Throws<InvalidOperationException>(() => pool.Get());

        Assert.Contains("'nothing'", error.Message, StringComparison.Ordinal);
        Assert.Contains("null", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, pool.GetStatistics().Created);
    }

    [Fact]
    public void Returning_null_is_an_error_that_names_the_parameter()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        var inlined = new TieredObjectPool<Item, Plain>();

        Assert.Equal("obj", Assert.Throws<ArgumentNullException>(() => pool.Return(null!)).ParamName);
        Assert.Equal("obj", Assert.Throws<ArgumentNullException>(() => inlined.Return(null!)).ParamName);
        Assert.NotNull(pool.Get());
    }

    [Fact]
    public void Missing_delegates_and_policies_are_errors()
    {
        Assert.Equal(
            "create", Assert.Throws<ArgumentNullException>(() => new TieredObjectPool<Item>((Func<Item>)null!)).ParamName);
        Assert.Equal(
            "policy",
            Assert.Throws<ArgumentNullException>(() => new TieredObjectPool<Item>((IPooledObjectPolicy<Item>)null!)).ParamName);
    }

    [Fact]
    public void A_policy_may_use_the_pool_it_serves()
    {
        TieredObjectPool<Item>? pool = null;
        var depth = 0;
        pool = new TieredObjectPool<Item>(
            () =>
            {
                if (depth++ == 0)
                {
                    pool!.Return(pool.Get());
                    pool.Trim();
                    _ = pool.GetStatistics();
                }

                return new Item();
            });

        pool.Return(pool.Get());

        StatisticsAssert.Balanced(pool.GetStatistics());
        Assert.Equal(2, pool.GetStatistics().Created);
    }

    private readonly struct Plain : IPooledObjectPolicy<Item>
    {
        public Item Create() => new();

        public bool Return(Item obj) => true;
    }
}
