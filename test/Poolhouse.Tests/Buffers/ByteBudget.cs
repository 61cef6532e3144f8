
namespace Poolhouse.Tests.Buffers;

public sealed class ByteBudget
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(15, 0)]
    [InlineData(16, 1)]
    [InlineData(31, 1)]
    [InlineData(32, 2)]
    [InlineData(160, 10)]
    [InlineData(1600, 100)]
    public void Arrays_of_one_length_fill_the_budget_completely(long budget, int places)
    {
        using var pool = Pools.Make<byte>(budget: budget);
        pool.ReturnAll(pool.RentMany(places + 5, 16));

        var statistics = pool.AssertBalanced();
        Assert.Equal(places, statistics.Retained);
        Assert.Equal(places * 16, statistics.RetainedBytes);
        Assert.Equal(5, statistics.Surplus);
    }

    [Fact]
    public void All_lengths_draw_on_the_same_budget()
    {
        using var pool = Pools.Make<byte>(budget: 1024);
        var arrays = new[] { pool.Rent(512), pool.Rent(256), pool.Rent(256), pool.Rent(16) };
        pool.ReturnAll(arrays);

        var statistics = pool.AssertBalanced();
        Assert.Equal(1024, statistics.RetainedBytes);
        Assert.Equal(1, statistics.Surplus);
    }

    [Fact]
    public void Plain_arrays_leased_ones_and_memories_draw_on_the_same_budget()
    {
        using var pool = Pools.Make<byte>(budget: 48);
        using var memories = new TieredMemoryPool<byte>(pool);
        var plain = pool.RentMany(2, 16);
        var lease = pool.RentExact(16);
        var owner = memories.Rent(16);
        lease.Dispose();
        owner.Dispose();
        pool.ReturnAll(plain);

        Assert.Equal(48, pool.AssertBalanced().RetainedBytes);
        Assert.Equal(1, pool.GetStatistics().Surplus);
    }

    [Fact]
    public void Bytes_are_counted_and_not_elements()
    {
        using var pool = Pools.Make<decimal>(budget: 16 * 16);
        pool.ReturnAll(pool.RentMany(2, 16));

        Assert.Equal(256, pool.AssertBalanced().RetainedBytes);
    }

    [Fact]
    public void An_array_larger_than_the_budget_is_never_kept()
    {
        using var pool = Pools.Make<byte>(budget: 1000);
        pool.Return(pool.Rent(1024));

        Assert.Equal(1, pool.AssertBalanced().Surplus);
    }

    [Fact]
    public void Rented_arrays_do_not_count()
    {
        using var pool = Pools.Make<byte>(budget: 1024);
        var held = pool.RentMany(100, 1024);
        pool.Return(pool.Rent(1024));

        Assert.Equal(1024, pool.AssertBalanced().RetainedBytes);
        pool.ReturnAll(held);
        Assert.Equal(1024, pool.AssertBalanced().RetainedBytes);
    }

    [Fact]
    public void Unused_budget_of_one_length_is_available_to_other_lengths()
    {
        using var pool = Pools.Make<byte>(budget: 1024);
        var large = pool.Rent(1024);
        pool.Return(large);
        Assert.Same(large, pool.Rent(1024));

        pool.ReturnAll(pool.RentMany(4, 256));

        Assert.Equal(1024, pool.AssertBalanced().RetainedBytes);
        Assert.Equal(0, pool.GetStatistics().Surplus);
    }

    [Fact]
    public void Unused_budget_of_another_thread_is_available_to_this_one()
    {
        using var pool = Pools.Make<byte>(budget: 64);
        var theirs = Array.Empty<byte[]>();
        Threads.RunAlone(() =>
        {
            pool.ReturnAll(pool.RentMany(4, 16));
            theirs = pool.RentMany(4, 16);
        });
        pool.ReturnAll(theirs);

        Assert.Equal(4, pool.AssertBalanced().Retained);
    }

    [Fact]
    public void A_trim_releases_the_budget()
    {
        using var pool = Pools.Make<byte>(budget: 1024);
        pool.ReturnAll(pool.RentMany(64, 16));
        pool.Trim();
        pool.Return(pool.Rent(1024));

        Assert.Equal(1024, pool.AssertBalanced().RetainedBytes);
    }

    [Fact]
    public void Two_pools_have_two_budgets()
    {
        using var first = Pools.Make<byte>(budget: 32);
        using var second = Pools.Make<byte>(budget: 64);
        first.ReturnAll(first.RentMany(5, 16));
        second.ReturnAll(second.RentMany(5, 16));

        Assert.Equal(32, first.AssertBalanced().RetainedBytes);
        Assert.Equal(64, second.AssertBalanced().RetainedBytes);
    }
}
