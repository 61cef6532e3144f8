
namespace Poolhouse.Http.Tests.Bulkheads;

public sealed class OptionErrors
{
    [Fact]
    public void One_exception_names_every_invalid_setting()
    {
        var options = new BulkheadOptions
        {
            MaxPerEndpoint = 0,
            MaxTotal = 1_000_001,
            MaxWaiters = -1,
            RentTimeout = TimeSpan.Zero,
            LeakThreshold = TimeSpan.Zero,
            Name = " ",
            TimeProvider = null!,
            Overload = new OverloadOptions { Target = TimeSpan.Zero },
        };

        var failure = Assert.Throws<ArgumentException>(() => new Bulkhead(options));
        Assert.All(
            [
                "MaxPerEndpoint is 0; allowed: 1 to 1,000,000.",
                "MaxTotal is 1000001; allowed: 1 to 1,000,000.",
                "MaxWaiters is -1; allowed: 0 or more.",
                "RentTimeout is 00:00:00; allowed: 00:00:00.0010000 to ",
                "LeakThreshold is 00:00:00; allowed: 00:00:00.0010000 to ",
                "Name is \" \"; allowed: null or not blank.",
                "TimeProvider is null; allowed: not null.",
                "Overload.Target is 00:00:00; allowed: ",
            ],
            expected => Assert.Contains(expected, failure.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void Options_are_copied()
    {
        var options = new BulkheadOptions { MaxPerEndpoint = 1, MaxTotal = 5, Name = "before" };
        using var bulkhead = new Bulkhead(options);
        (options.MaxTotal, options.Name) = (9, "after");

        Assert.Equal((5, "before"), (bulkhead.GetStatistics().MaxLeased, bulkhead.Name));
    }

    [Fact]
    public void A_bulkhead_without_a_name_gets_a_default_name()
    {
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1 });

        Assert.StartsWith("Bulkhead", bulkhead.Name, StringComparison.Ordinal);
    }

    /// <summary>Options that a bulkhead would reject are not even looked at.</summary>
    [Fact]
    public void A_handler_that_is_not_created_leaves_no_bulkhead_behind() => Assert.Throws<ArgumentNullException>(
        "innerHandler", () => new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 0 }, innerHandler: null!));

    [Fact]
    public void Null_is_rejected()
    {
        Assert.Throws<ArgumentNullException>(() => new Bulkhead(null!));
        Assert.Throws<ArgumentNullException>(() => new BulkheadHandler((BulkheadOptions)null!));
        Assert.Throws<ArgumentNullException>(() => new BulkheadHandler((Bulkhead)null!));
        Assert.Throws<ArgumentNullException>(
            () => new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 1 }, innerHandler: null!));
    }
}
