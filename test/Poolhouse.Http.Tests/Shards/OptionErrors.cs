namespace Poolhouse.Http.Tests.Shards;

public sealed class OptionErrors
{
    [Fact]
    public void One_exception_names_every_invalid_setting()
    {
        var options = new ShardedHandlerOptions
        {
            Shards = 1_001,
            MaxLifetime = TimeSpan.Zero,
            LifetimeJitter = 2,
            WatchedHosts = ["server", " "],
            ResolveInterval = TimeSpan.Zero,
            TimeProvider = null!,
        };

        var failure = Assert.Throws<ArgumentException>(() => new ShardedHandler(options));
        Assert.All(
            [
                "Shards is 1001; allowed: 1 to 1,000.",
                "MaxLifetime is 00:00:00; allowed: 00:00:01 to ",
                "LifetimeJitter is 2; allowed: 0 to 1.",
                "WatchedHosts is \"null or blank somewhere\"; allowed: names.",
                "ResolveInterval is 00:00:00; allowed: 00:00:01 to 1.00:00:00.",
                "TimeProvider is null; allowed: not null.",
            ],
            expected => Assert.Contains(expected, failure.Message, StringComparison.Ordinal));
        Assert.Contains(
            "Selection is 9; allowed: LeastOutstanding, RoundRobin or PowerOfTwoChoices.",
            Assert.Throws<ArgumentException>(
                () => new ShardedHandler(
                    new ShardedHandlerOptions { Shards = 1, Selection = (SelectionStrategy)9, WatchedHosts = null! })).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_warm_up_checks_its_arguments_before_it_sends_anything()
    {
        using var client = new HttpClient();
        var address = new Uri("http://server/");

        await Assert.ThrowsAsync<ArgumentNullException>(() => client.WarmUpAsync(null!, 1));
        await Assert.ThrowsAsync<ArgumentNullException>(() => HttpWarmUp.WarmUpAsync(null!, address, 1));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.WarmUpAsync(address, 0));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.WarmUpAsync(address, 10_001));
        var options = new HttpWarmUpOptions
        {
            Method = null!,
            Version = null!,
            VersionPolicy = (HttpVersionPolicy)9,
            Timeout = TimeSpan.Zero,
            TimeProvider = null!,
        };
        var failure = await Assert.ThrowsAsync<ArgumentException>(() => client.WarmUpAsync(address, 1, options));
        Assert.All(
            ["Method is null", "Version is null", "VersionPolicy is 9", "Timeout is 00:00:00", "TimeProvider is null"],
            expected => Assert.Contains(expected, failure.Message, StringComparison.Ordinal));
    }
}
