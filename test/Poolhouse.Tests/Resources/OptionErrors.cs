
namespace Poolhouse.Tests.Resources;

public sealed class OptionErrors
{
    [Fact]
    public void A_duration_that_must_not_be_infinite_is_shown_as_none()
    {
        var options = new ResourcePoolOptions { MaxSize = 1, RetryDelay = Timeout.InfiniteTimeSpan };

        var error = Assert.Throws<ArgumentException>(() => new ResourcePool<Part>(new ScriptedPolicy(), options));

        Assert.Contains(
            "RetryDelay is none (Timeout.InfiniteTimeSpan); allowed: 00:00:00.0010000 to", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void All_invalid_settings_are_named_at_once_with_value_and_range()
    {
        var options = new ResourcePoolOptions
        {
            MaxSize = 0,
            MinIdle = -1,
            MaxWaiters = -1,
            IdleOrder = (IdleOrder)7,
            RentTimeout = TimeSpan.FromSeconds(-3),
            CreateTimeout = TimeSpan.Zero,
            ValidateTimeout = TimeSpan.Zero,
            ResetTimeout = TimeSpan.Zero,
            DestroyTimeout = TimeSpan.FromDays(50),
            MaxConcurrentCreates = 0,
            OutageTimeout = TimeSpan.FromSeconds(-9),
            RetryDelay = TimeSpan.FromDays(3),
            MaxRetryDelay = TimeSpan.FromDays(2),
            ValidateAfterIdle = TimeSpan.FromSeconds(-2),
            IdleTimeout = TimeSpan.FromMilliseconds(999),
            MaxLifetime = TimeSpan.Zero,
            LifetimeJitter = double.NaN,
            KeepAliveInterval = TimeSpan.Zero,
            LeakThreshold = TimeSpan.Zero,
            Name = " ",
            TimeProvider = null!,
            Overload = new OverloadOptions { Target = TimeSpan.FromHours(2), Interval = TimeSpan.Zero },
        };

        var error = Assert.Throws<ArgumentException>(() => new ResourcePool<Part>(new ScriptedPolicy(), options));

        Assert.Equal("options", error.ParamName);
        foreach (var part in new[]
        {
            "MaxSize is 0; allowed: 1 to 1,000,000.",
            "MinIdle is -1; allowed: 0 to MaxSize.",
            "MaxWaiters is -1; allowed: 0 or more.",
            "IdleOrder is 7; allowed: Lifo or Fifo.",
            "RentTimeout is -00:00:03; allowed: 00:00:00 to",
            "CreateTimeout is 00:00:00; allowed: 00:00:00.0010000 to",
            "ValidateTimeout is 00:00:00;",
            "ResetTimeout is 00:00:00;",
            "DestroyTimeout is 50.00:00:00;",
            "MaxConcurrentCreates is 0; allowed: 1 to 1,000,000.",
            "OutageTimeout is -00:00:09; allowed: 00:00:00 to",
            "RetryDelay is 3.00:00:00; allowed: 00:00:00.0010000 to 1.00:00:00.",
            "MaxRetryDelay is 2.00:00:00; allowed: 00:00:00.0010000 to 1.00:00:00.",
            "ValidateAfterIdle is -00:00:02;",
            "IdleTimeout is 00:00:00.9990000; allowed: 00:00:01 to",
            "MaxLifetime is 00:00:00; allowed: 00:00:01 to",
            "LifetimeJitter is NaN; allowed: 0 to 1.",
            "KeepAliveInterval is 00:00:00; allowed: 00:00:01 to",
            "LeakThreshold is 00:00:00; allowed: 00:00:00.0010000 to",
            "Name is \" \"; allowed: null or not blank.",
            "TimeProvider is null; allowed: not null.",
            "Overload.Target is 02:00:00;",
            "Overload.Interval is 00:00:00;",
        })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }
    }

    public static TheoryData<Action<ResourcePoolOptions>, string> OneMistake => new()
    {
        { options => options.MaxSize = 0, "MaxSize is 0; allowed: 1 to 1,000,000." },
        { options => options.MaxSize = 1_000_001, "MaxSize is 1000001; allowed: 1 to 1,000,000." },
        { options => options.MinIdle = 6, "MinIdle is 6; allowed: 0 to MaxSize (5)." },
        {
            options => options.MaxRetryDelay = TimeSpan.Zero,
            "MaxRetryDelay is 00:00:00; allowed: RetryDelay (00:00:00.1000000) to 1.00:00:00."
        },
        {
            options => options.MaxRetryDelay = TimeSpan.FromMilliseconds(50),
            "MaxRetryDelay is 00:00:00.0500000; allowed: RetryDelay (00:00:00.1000000) to 1.00:00:00."
        },
        {
            options => options.MaxRetryDelay = TimeSpan.FromDays(2),
            "MaxRetryDelay is 2.00:00:00; allowed: RetryDelay (00:00:00.1000000) to 1.00:00:00."
        },
        {
            options => options.RetryDelay = TimeSpan.Zero,
            "RetryDelay is 00:00:00; allowed: 00:00:00.0010000 to MaxRetryDelay (00:00:10)."
        },
        {
            options => options.RetryDelay = TimeSpan.FromMinutes(1),
            "RetryDelay is 00:01:00; allowed: 00:00:00.0010000 to MaxRetryDelay (00:00:10)."
        },
        {
            options => (options.RetryDelay, options.MaxRetryDelay) = (TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(2)),
            "MaxRetryDelay is 00:00:02; allowed: RetryDelay (00:00:03) to 1.00:00:00."
        },
        {
            options => options.Overload = new OverloadOptions { Interval = TimeSpan.FromMilliseconds(20) },
            "Overload.Interval is 00:00:00.0200000; allowed: not below Overload.Target (00:00:00.0500000)."
        },
        {
            options => options.Overload = new OverloadOptions { Interval = TimeSpan.Zero },
            "Overload.Interval is 00:00:00; allowed: 00:00:00.0010000 to 1.00:00:00."
        },
        {
            options => options.Overload = new OverloadOptions { Target = TimeSpan.FromSeconds(2) },
            "Overload.Target is 00:00:02; allowed: not above Overload.Interval (00:00:01)."
        },
    };

    [Theory]
    [MemberData(nameof(OneMistake))]
    public void One_mistake_is_one_error_that_names_the_setting_that_is_wrong(
        Action<ResourcePoolOptions> mistake, string expected)
    {
        var options = new ResourcePoolOptions { MaxSize = 5, MinIdle = 2 };
        mistake(options);

        var error = Assert.Throws<ArgumentException>("options", () => new ResourcePool<Part>(new ScriptedPolicy(), options));

        Assert.Equal($"Invalid pool options. {expected} (Parameter 'options')", error.Message);
    }

    [Fact]
    public void The_ends_of_the_ranges_are_allowed()
    {
        var forever = Timeout.InfiniteTimeSpan;
        using var largest = new ResourcePool<Part>(new ScriptedPolicy(), new ResourcePoolOptions
        {
            MaxSize = 1_000_000,
            RentTimeout = forever,
            CreateTimeout = forever,
            ValidateTimeout = forever,
            ResetTimeout = forever,
            DestroyTimeout = forever,
            ValidateAfterIdle = forever,
            IdleTimeout = forever,
            MaxLifetime = forever,
            LifetimeJitter = 1,
            MaxConcurrentCreates = 1_000_000,
        });
        using var smallest = new ResourcePool<Part>(new ScriptedPolicy(), new ResourcePoolOptions
        {
            MaxSize = 1,
            MinIdle = 1,
            MaxWaiters = 0,
            RentTimeout = TimeSpan.Zero,
            LifetimeJitter = 0,
            RetryDelay = TimeSpan.FromMilliseconds(1),
            MaxRetryDelay = TimeSpan.FromMilliseconds(1),
            LeakThreshold = TimeSpan.FromMilliseconds(1),
        });

        Assert.Equal((1_000_000, 1), (largest.GetStatistics().MaxSize, smallest.GetStatistics().MaxSize));
    }

    [Fact]
    public void Options_are_copied()
    {
        var options = new ResourcePoolOptions { MaxSize = 5, Name = "five", Overload = new OverloadOptions() };
        using var pool = new ResourcePool<Part>(new ScriptedPolicy(), options);
        options.MaxSize = 7;
        options.Name = "seven";
        options.Overload.Target = TimeSpan.Zero;

        pool.Resize(6);

        Assert.Equal((6, "five"), (pool.GetStatistics().MaxSize, pool.Name));
    }

    [Theory]
    [InlineData(-2)]
    [InlineData(50L * 24 * 3_600_000)]
    public void A_timeout_passed_to_a_rent_must_be_within_the_range_of_a_timer(long milliseconds)
    {
        var bench = new Workbench();
        var timeout = TimeSpan.FromMilliseconds(milliseconds);

        Assert.Throws<ArgumentOutOfRangeException>("timeout", () => bench.Pool.Rent(timeout));
        Assert.Throws<ArgumentOutOfRangeException>("timeout", () => { _ = bench.Pool.RentAsync(timeout).AsTask(); });
    }

    [Fact]
    public void Arguments_that_are_null_are_named()
    {
        var options = new ResourcePoolOptions { MaxSize = 1 };

        Assert.Throws<ArgumentNullException>("policy", () => new ResourcePool<Part>(null!, options));
        Assert.Throws<ArgumentNullException>("options", () => new ResourcePool<Part>(new ScriptedPolicy(), null!));
        Assert.Throws<ArgumentNullException>("create", () => ResourcePool.Create<Part>(null!, options));
        Assert.Throws<ArgumentNullException>("options", () => new Workbench().Pool.Reconfigure(null!));
    }
}
