using System.Diagnostics;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promise I15: the server restarts.</summary>
public sealed class Restarts(OwnServer own) : IClassFixture<OwnServer>
{
    private const int Size = 4;

    public static TheoryData<PoolApi, bool> Ways => new(
        from api in Enum.GetValues<PoolApi>()
        from immediate in (bool[])[false, true]
        select (api, immediate));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Under_load_each_connection_causes_at_most_one_error_and_all_callers_recover(PoolApi api, bool immediate)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        await using var user = new PoolUser(api, server.ConnectionString, PoolUser.Options(Size));
        using var ended = new CancellationTokenSource();
        var served = new int[2 * Size];
        var refusals = 0;
        var callers = Enumerable.Range(0, served.Length).Select(caller => user.RunAsync(() => CallAsync(caller))).ToList();
        await Patience.UntilAsync(
            () => new ValueTask<int>(served.Min()), fewest => fewest > 2, "all callers are served before the restart");

        await server.RestartAsync(immediate ? PostgresStop.Immediate : PostgresStop.Fast, TestContext.Current.CancellationToken);

        var before = (int[])served.Clone();
        var restarted = Stopwatch.GetTimestamp();
        await Patience.UntilAsync(
            () => new ValueTask<bool>(served.Zip(before).All(pair => pair.First > pair.Second)), all => all,
            "all callers are served after the restart");
        Assert.InRange(Stopwatch.GetElapsedTime(restarted), TimeSpan.Zero, TimeSpan.FromMilliseconds(200) + Patience.Slack);
        await ended.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(callers));
        Assert.InRange(user.Errors, 0, Size);
        Assert.InRange(refusals, 0, user.Errors + (int)user.Statistics.CreateFailures);
        await user.AssertRecoveredAsync(watch);

        async Task CallAsync(int caller)
        {
            while (!ended.IsCancellationRequested)
            {
                if (await user.TryAskNonceAsync(CancellationToken.None) is null)
                {
                    Interlocked.Increment(ref served[caller]);
                }
                else
                {
                    Interlocked.Increment(ref refusals);
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Idle_connections_cause_no_error_with_validation(PoolApi api, bool immediate)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        var options = PoolUser.Options(Size);
        options.ValidateAfterIdle = TimeSpan.Zero;
        await using var user = new PoolUser(api, server.ConnectionString, options);
        await user.WarmUpAsync(Size);

        await server.RestartAsync(immediate ? PostgresStop.Immediate : PostgresStop.Fast, TestContext.Current.CancellationToken);

        await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task While_the_server_is_down_callers_fail_within_their_timeout(PoolApi api)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        var options = PoolUser.Options(Size);
        options.RentTimeout = TimeSpan.FromMilliseconds(500);
        await using var user = new PoolUser(api, server.ConnectionString, options);
        await user.WarmUpAsync(Size);
        await server.StopAsync();

        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 3 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.True(failure!.IsTransient, failure.ToString()));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, options.RentTimeout + Patience.Slack);
        await server.StartAgainAsync(TestContext.Current.CancellationToken);
        await user.AssertRecoveredAsync(watch);
    }
}
