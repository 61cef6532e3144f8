using System.Text;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Misuse;

/// <summary>An object pool in paranoid mode reports every misuse of its items.</summary>
public sealed class ParanoidObjects
{
    [Fact]
    public void A_double_return_is_reported_before_the_item_of_another_user_is_reset()
    {
        var resets = 0;
        using var pool = new TieredObjectPool<StringBuilder>(
            () => new StringBuilder(),
            item =>
            {
                resets++;
                item.Clear();
                return true;
            },
            Options(ParanoidMode.Throw));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(pool.Get());

        var misuse = Assert.Throws<PoolMisuseException>(() => pool.Return(item)).Misuse;

        Assert.Equal(PoolMisuseKind.DoubleReturn, misuse.Kind);
        Assert.Equal(2, resets);
        Assert.NotNull(misuse.RentedAt);
        Assert.NotNull(misuse.ReturnedAt);
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Refused));
    }

    // Nothing else may happen to the item: it is in the pool, or another user has it.
    [Theory]
    [InlineData("discarded")]
    [InlineData("tainted")]
    [InlineData("detached")]
    public void The_lease_of_an_item_that_was_returned_by_hand_ends_as_a_double_return(string end)
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), _ => true, Options(ParanoidMode.Report, 2));
        var lease = pool.Rent();
        var item = lease.Value;
#pragma warning disable PH1011 // That is the misuse.
        pool.Return(item);
#pragma warning restore PH1011
        switch (end)
        {
            case "discarded":
                lease.Discard();
                break;
            case "tainted":
                lease.Taint();
                lease.Dispose();
                break;
            default:
                lease.Detach();
                break;
        }

        Assert.False(item.IsDisposed);
        var statistics = pool.GetStatistics();
        Assert.Equal((1, 0, 0), (statistics.DoubleReturns, statistics.Discarded, statistics.Detached));
        pool.Return(pool.Get());
        var next = pool.Get();
        Assert.Same(item, next);
        pool.Return(next);
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().ForeignReturns));
    }

    [Fact]
    public void A_misused_item_is_not_disposed()
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), _ => true, Options(ParanoidMode.Report));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(item);
        var foreign = new Tracked();
        pool.Return(foreign);

        Assert.False(item.IsDisposed);
        Assert.False(foreign.IsDisposed);
        Assert.Equal(
            (1, 1, 1), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().ForeignReturns, pool.GetStatistics().Retained));
    }

    [Fact]
    public void A_refused_item_that_is_returned_again_is_reported_and_destroyed_once()
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), _ => false, Options(ParanoidMode.Report));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(item);

        Assert.Equal(1, item.Disposals);
        Assert.Equal((1, 1), (pool.GetStatistics().Refused, pool.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void A_reset_that_throws_ends_the_rent()
    {
        using var pool =
            new TieredObjectPool<Tracked>(() => new Tracked(), _ => throw new FormatException(), Options(ParanoidMode.Report));
        var item = pool.Get();
        Assert.Throws<FormatException>(() => pool.Return(item));
        pool.Return(item);

        Assert.Equal(1, item.Disposals);
        Assert.Equal((0, 1), (pool.GetStatistics().Leased, pool.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void A_pool_with_an_inlined_policy_reports_double_and_foreign_returns()
    {
        using var pool = new TieredObjectPool<Tracked, TrackedPolicy>(default, Options(ParanoidMode.Report, 4));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(item);
        pool.Return(new Tracked());
        var rented = Enumerable.Range(0, 4).Select(_ => pool.Get()).ToList();

        Assert.Equal((1, 1), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().ForeignReturns));
        Assert.Equal(4, rented.Distinct().Count());
    }

    [Fact]
    public void A_refusal_of_an_inlined_policy_ends_the_rent()
    {
        using var pool = new TieredObjectPool<Tracked, RefusingPolicy>(default, Options(ParanoidMode.Report));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(item);

        Assert.Equal(1, item.Disposals);
        Assert.Equal((1, 1), (pool.GetStatistics().Refused, pool.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void Leases_and_plain_rents_share_the_items()
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), reset: null, Options(ParanoidMode.Throw, 2));
        for (var round = 0; round < 100; round++)
        {
            using (var lease = pool.Rent())
            {
                lease.Value.Value++;
            }

            pool.Return(pool.Get());
        }

        pool.Rent().Discard();
        var detached = pool.Rent().Detach();
        Assert.Equal(PoolMisuseKind.ForeignReturn, Assert.Throws<PoolMisuseException>(() => pool.Return(detached)).Misuse.Kind);
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public void A_pool_that_both_kinds_of_rent_have_filled_still_reuses_items()
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), reset: null, Options(ParanoidMode.Throw, 2));
        pool.Return(pool.Get());
        pool.Rent().Dispose();
        for (var round = 0; round < 100; round++)
        {
            pool.Return(pool.Get());
        }

        Assert.Equal((2, 100), (pool.GetStatistics().Created, pool.GetStatistics().Hits));
    }

    [Fact]
    public void A_delegate_that_returns_the_same_item_again_is_not_reported()
    {
        var only = new StringBuilder();
        using var pool = new TieredObjectPool<StringBuilder>(() => only, reset: null, Options(ParanoidMode.Throw));
        for (var round = 0; round < 200; round++)
        {
            pool.Return(pool.Get());
        }

        Assert.Equal(0, pool.GetStatistics().DoubleReturns);
    }

    [Fact]
    public void Prefilled_items_are_known()
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), reset: null, Options(ParanoidMode.Throw));
        Assert.Equal(10, pool.Prefill(10));
        pool.Return(pool.Get());
        Assert.Equal((11, 0), (pool.GetStatistics().Retained, pool.GetStatistics().Leased));
    }

    [Fact]
    public void An_item_stays_in_quarantine_while_others_are_created_ahead_of_demand()
    {
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), reset: null, Options(ParanoidMode.Throw));
        var item = pool.Get();
        pool.Return(item);
        pool.Prefill(1);

        Assert.NotSame(item, pool.Get());
    }

    [Fact]
    public void An_item_stays_in_quarantine_until_it_was_idle_between_two_checks_for_idle_items()
    {
        var clock = new ManualTimeProvider();
        var options = Options(ParanoidMode.Throw);
        (options.TimeProvider, options.IdleTimeout) = (clock, TimeSpan.FromMinutes(4));
        using var pool = new TieredObjectPool<Tracked>(() => new Tracked(), reset: null, options);
        var item = pool.Get();
        pool.Return(item);
        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.NotSame(item, pool.Get());

        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Same(item, pool.Get());
        pool.Return(item);
        clock.Advance(TimeSpan.FromMinutes(5));
        Assert.False(item.IsDisposed);

        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.True(item.IsDisposed);
    }

    [Fact]
    public void The_equality_and_the_text_of_items_are_never_used()
    {
        using var pool = new TieredObjectPool<Hostile>(() => new Hostile(), reset: null, Options(ParanoidMode.Throw, 2));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(pool.Get());
        var exception = Assert.Throws<PoolMisuseException>(() => pool.Return(item));
        Assert.NotEmpty(exception.ToString());
        Assert.NotNull(pool.Get());
    }

    [Fact]
    public void The_pools_of_a_provider_take_its_mode()
    {
        var pool = new TieredObjectPoolProvider(Options(ParanoidMode.Throw)).Create<StringBuilder>();
        var item = pool.Get();
        pool.Return(item);
        Assert.Throws<PoolMisuseException>(() => pool.Return(item));
        ((IDisposable)pool).Dispose();
    }

    private static ObjectPoolOptions Options(ParanoidMode mode, int maxRetained = 1024) =>
        new() { Paranoid = mode, MaxRetained = maxRetained };

    private sealed class Tracked : IDisposable
    {
        public int Value { get; set; }

        public int Disposals { get; private set; }

        public bool IsDisposed => Disposals > 0;

        public void Dispose() => Disposals++;
    }

    private sealed class Hostile
    {
        public override bool Equals(object? obj) => throw new InvalidOperationException("secret");

        public override int GetHashCode() => throw new InvalidOperationException("secret");

        public override string ToString() => throw new InvalidOperationException("secret");
    }

    private readonly struct TrackedPolicy : IPooledObjectPolicy<Tracked>
    {
        public Tracked Create() => new();

        public bool Return(Tracked obj)
        {
            obj.Value = 0;
            return true;
        }
    }

    private readonly struct RefusingPolicy : IPooledObjectPolicy<Tracked>
    {
        public Tracked Create() => new();

        public bool Return(Tracked obj) => false;
    }
}
