using System.Data.Common;
using System.Diagnostics;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promise I7 on a real server: all of its processes stop, and the peer is silent.</summary>
public sealed class FrozenServer(OwnServer own) : IClassFixture<OwnServer>
{
    private const int Size = 3;

    private static readonly TimeSpan _rentTimeout = TimeSpan.FromMilliseconds(400);

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task A_caller_waiting_for_a_connection_gets_an_answer_within_RentTimeout(PoolApi api)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        options.ValidateAfterIdle = TimeSpan.Zero;
        options.ValidateTimeout = TimeSpan.FromMilliseconds(300);
        options.CreateTimeout = TimeSpan.FromSeconds(2);
        await using var user = new PoolUser(api, server.ConnectionString, options);
        await user.WarmUpAsync(Size);

        server.Freeze();
        DbException?[] heard;
        TimeSpan took;
        try
        {
            var started = Stopwatch.GetTimestamp();
            heard = await Patience.WithinAsync(
                Task.WhenAll(Enumerable.Range(0, 3 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));
            took = Stopwatch.GetElapsedTime(started);
        }
        finally
        {
            server.Thaw();
        }

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(took, TimeSpan.Zero, _rentTimeout + Patience.Slack);
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    // The provider's own command timeout does not help here: to cancel, it waits for the same server.
    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Waiters_get_their_timeout_and_late_replies_reach_no_caller(PoolApi api)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        await using var user = new PoolUser(api, server.ConnectionString, options);
        await user.WarmUpAsync(Size);

        server.Freeze();
        List<Task<DbException?>> holders;
        DbException?[] heard;
        TimeSpan took;
        try
        {
            holders = [.. Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))];
            await Patience.UntilAsync(
                () => new ValueTask<int>((int)user.Statistics.Leased), leased => leased == Size, "all are leased");
            var started = Stopwatch.GetTimestamp();
            heard = await Patience.WithinAsync(
                Task.WhenAll(Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));
            took = Stopwatch.GetElapsedTime(started);
            Assert.All(holders, holder => Assert.False(holder.IsCompleted));
        }
        finally
        {
            server.Thaw();
        }

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(took, TimeSpan.Zero, _rentTimeout + Patience.Slack);
        Assert.All(await Patience.WithinAsync(Task.WhenAll(holders)), Assert.Null);
        await user.AssertRecoveredAsync(watch);
    }
}
