
namespace Poolhouse.Tests.Buffers;

public sealed class PoolSettings
{
    [Fact]
    public void The_defaults_are_the_documented_ones()
    {
        var options = new ArrayPoolOptions();

        Assert.Equal(268_435_456, options.MaxRetainedBytes);
        Assert.Equal(ClearPolicy.References, options.Clear);
        Assert.Equal(TimeSpan.FromMinutes(5), options.IdleTimeout);
        Assert.Equal(options.MaxRetainedBytes, TieredArrayPool<byte>.Shared.MaxRetainedBytes);
    }

    [Fact]
    public void One_error_names_every_invalid_setting()
    {
        var options = new ArrayPoolOptions { MaxRetainedBytes = -1, Clear = (ClearPolicy)7, IdleTimeout = default, Name = " " };

        var error = Assert.Throws<ArgumentException>(() => new TieredArrayPool<byte>(options));
        Assert.Equal("options", error.ParamName);
        Assert.All(
            ["MaxRetainedBytes is -1", "Clear is 7", "IdleTimeout is 00:00:00", "Name is \" \""],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.Equal("options", Assert.Throws<ArgumentException>(() => new TieredMemoryPool<byte>(options)).ParamName);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(ArrayPoolOptions.LargestMaxRetainedBytes)]
    public void The_ends_of_the_budgets_range_are_allowed(long budget)
    {
        using var pool = Pools.Make<byte>(budget: budget);

        Assert.Equal(budget, pool.MaxRetainedBytes);
    }

    [Fact]
    public void A_budget_above_one_tebibyte_is_rejected() =>
        Assert.Throws<ArgumentException>(() => Pools.Make<byte>(budget: ArrayPoolOptions.LargestMaxRetainedBytes + 1));

    [Fact]
    public void Options_changed_after_construction_have_no_effect()
    {
        var options = Pools.Options(ClearPolicy.Never, 1024);
        using var pool = new TieredArrayPool<byte>(options);
        options.MaxRetainedBytes = 0;
        options.Clear = ClearPolicy.Always;
        var array = pool.Rent(16);
        array[0] = 7;
        pool.Return(array);

        Assert.Equal(7, array[0]);
        Assert.Equal(16, pool.GetStatistics().RetainedBytes);
        Assert.Equal(1024, pool.MaxRetainedBytes);
    }

    [Fact]
    public void A_pool_without_a_name_gets_one_that_contains_the_element_type()
    {
        using var first = new TieredArrayPool<byte>();
        using var second = new TieredArrayPool<byte>();

        Assert.Equal(("Byte[]", "Byte[]"), (first.Name, second.Name));
    }
}
