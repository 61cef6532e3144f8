using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promises I15 and I19: the administrator ends sessions of a pool.</summary>
public sealed class TerminatedBackends(PostgresServer server)
{
    private const int Size = 4;

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Terminated_idle_sessions_cause_at_most_one_error_with_an_immediate_clear(PoolApi api)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: false);

        Assert.Equal(Size, await watch.TerminateAsync(user.SessionName));

        Assert.Equal("57P01", (await Patience.WithinAsync(user.RunAsync(() => user.TryAskNonceAsync())))?.SqlState);
        await user.AssertRecoveredAsync(watch);
        Assert.Equal(1, user.Errors);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Terminated_idle_sessions_cause_at_most_one_error_each_with_a_spread_clear(PoolApi api)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: false, options => options.FatalErrorSpread = TimeSpan.FromDays(1));

        await watch.TerminateAsync(user.SessionName);

        await user.AssertRecoveredAsync(watch, callers: 0);
        for (var i = 0; i < 3 * Size; i++)
        {
            await Patience.WithinAsync(user.RunAsync(() => user.TryAskNonceAsync()));
        }

        await user.AssertNothingLeakedAsync(watch);
        Assert.All(user.ErrorsOfSessions, session => Assert.Equal(1, session.Value));
        Assert.InRange(user.Errors, 1, Size);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Terminated_idle_sessions_cause_no_error_with_validation(PoolApi api)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: true);

        await watch.TerminateAsync(user.SessionName);

        await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Terminated_busy_sessions_cause_one_error_each_and_later_callers_none(PoolApi api)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: false);
        var sleepers =
            Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.QueryAsync("SELECT 1 FROM pg_sleep(60)"))).ToList();
        await Patience.UntilAsync(() => watch.CountBusyAsync(user.SessionName), busy => busy == Size, "all are busy");
        var next = Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.AskNonceAsync())).ToList();
        await Patience.UntilAsync(
            () => new ValueTask<int>(user.Statistics.Waiting), waiting => waiting == Size, "the next callers wait");

        await watch.TerminateAsync(user.SessionName);

        foreach (var sleeper in sleepers)
        {
            Assert.Equal("57P01", (await Assert.ThrowsAsync<PostgresException>(() => Patience.WithinAsync(sleeper))).SqlState);
        }

        await Patience.WithinAsync(Task.WhenAll(next));
        Assert.Equal(Size, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    private async Task<PoolUser> WarmAsync(PoolApi api, bool validate, Action<DbPoolOptions>? configure = null)
    {
        var options = PoolUser.Options(Size);
        options.ValidateAfterIdle = validate ? TimeSpan.Zero : Timeout.InfiniteTimeSpan;
        var user = new PoolUser(api, await server.GetConnectionStringAsync(), options, configure);
        await user.WarmUpAsync(Size);
        return user;
    }
}
