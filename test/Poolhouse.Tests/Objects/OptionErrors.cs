
namespace Poolhouse.Tests.Objects;

public sealed class OptionErrors
{
    [Fact]
    public void All_invalid_settings_are_named_at_once_with_value_and_range()
    {
        var options = new ObjectPoolOptions
        {
            MaxRetained = 0,
            IdleTimeout = TimeSpan.FromMilliseconds(999),
            Name = " ",
            TimeProvider = null!,
            MemoryPressure = null!,
        };

        var error = Assert.Throws<ArgumentException>(() => new TieredObjectPool<Item>(() => new Item(), null, options));

        Assert.Equal("options", error.ParamName);
        foreach (var part in new[]
        {
            "MaxRetained is 0; allowed: 1 to 1,073,741,824.",
            "IdleTimeout is 00:00:00.9990000; allowed: 00:00:01 to",
            "Name is \" \"; allowed: null or not blank.",
            "TimeProvider is null; allowed: not null.",
            "MemoryPressure is null; allowed: not null.",
        })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1 << 30)]
    public void The_ends_of_the_range_are_allowed(int max) =>
        Assert.Equal(
            max, new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { MaxRetained = max }).MaxRetained);

    [Fact]
    public void A_timeout_longer_than_a_timer_can_wait_is_rejected() => Assert.Throws<ArgumentException>(
        () => new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { IdleTimeout = TimeSpan.FromDays(50) }));

    [Fact]
    public void Options_are_copied()
    {
        var options = new ObjectPoolOptions { MaxRetained = 5, Name = "five" };
        var pool = new TieredObjectPool<Item>(() => new Item(), null, options);
        options.MaxRetained = 7;
        options.Name = "seven";

        Assert.Equal((5, "five"), (pool.MaxRetained, pool.Name));
    }

    [Fact]
    public void A_pool_without_a_name_is_named_after_its_type()
    {
        var pool = new TieredObjectPool<List<Dictionary<string, int[]>>>(() => []);

        Assert.Equal("List<Dictionary<String;Int32[]>>", pool.Name);
    }
}
