using System.Diagnostics;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promise I7 when the network between client and server drops or delays their messages.</summary>
public sealed class UnresponsivePeers(PostgresServer server)
{
    private const int Size = 3;

    private static readonly TimeSpan _rentTimeout = TimeSpan.FromMilliseconds(400);

    /// <summary>What makes the peer silent, for existing and for new connections.</summary>
    private static readonly Dictionary<string, Action<FaultProxy>> _silences = new(StringComparer.Ordinal)
    {
        ["black hole before the server"] = proxy => proxy.ToServer.Add(new BlackHoleToxic()),
        ["black hole before the client"] = proxy => proxy.ToClient.Add(new BlackHoleToxic()),
        ["late reply"] = proxy => proxy.ToClient.Add(new HoldToxic()),
    };

    public static TheoryData<string, PoolApi> Silences => PoolApis.Each(_silences.Keys);

    [Theory]
    [MemberData(nameof(Silences))]
    public async Task Callers_of_an_unresponsive_peer_time_out_and_late_replies_reach_no_caller(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        await using var user = await line.WarmAsync(api, Size, options, connection => connection.CommandTimeout = 2);

        _silences[fault](line.Proxy);
        var before = user.Statistics.Rented;
        var holders = Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync())).ToList();
        await Patience.UntilAsync(
            () => new ValueTask<long>(user.Statistics.Rented - before), rented => rented >= Size, "all have been leased");
        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, _rentTimeout + Patience.Slack);
        line.Proxy.Heal();

        // Callers whose messages were lost get the command timeout.
        Assert.All(
            await Patience.WithinAsync(Task.WhenAll(holders)),
            failure => Assert.True(failure is null or NpgsqlException, failure?.ToString()));
        await user.AssertRecoveredAsync(line.Watch);
    }

    [Theory]
    [MemberData(nameof(Silences))]
    public async Task A_validation_of_an_unresponsive_peer_delays_no_caller(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        options.CreateTimeout = TimeSpan.FromSeconds(2);
        options.ValidateTimeout = TimeSpan.FromMilliseconds(300);
        options.ValidateAfterIdle = TimeSpan.Zero;

        // The provider abandons its request to cancel after its connect timeout, and only then can the connection be
        // closed.
        await using var user = await line.WarmAsync(api, Size, options, connection => connection.Timeout = 1);

        _silences[fault](line.Proxy);
        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, _rentTimeout + Patience.Slack);
        line.Proxy.Heal();
        await user.AssertRecoveredAsync(line.Watch);
        Assert.Equal(0, user.Errors);
    }

    [Theory]
    [InlineData(FaultProxyMode.Deaf, PoolApi.LeaseAsync)]
    [InlineData(FaultProxyMode.Deaf, PoolApi.LeaseSync)]
    [InlineData(FaultProxyMode.Deaf, PoolApi.SourceAsync)]
    [InlineData(FaultProxyMode.Deaf, PoolApi.SourceSync)]
    [InlineData(FaultProxyMode.Down, PoolApi.LeaseAsync)]
    [InlineData(FaultProxyMode.Down, PoolApi.LeaseSync)]
    [InlineData(FaultProxyMode.Down, PoolApi.SourceAsync)]
    [InlineData(FaultProxyMode.Down, PoolApi.SourceSync)]
    public async Task While_connects_hang_callers_time_out_and_are_served_once_connects_succeed(FaultProxyMode mode, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        options.CreateTimeout = TimeSpan.FromSeconds(2);
        await using var user = await line.WarmAsync(api, Size, options);

        line.Proxy.Mode = mode;
        line.Proxy.ResetAll();
        user.Clear();
        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.True(failure!.IsTransient, failure.ToString()));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, _rentTimeout + Patience.Slack);
        Assert.Equal(0, user.Errors);
        line.Proxy.Mode = FaultProxyMode.Open;
        await user.AssertRecoveredAsync(line.Watch);
    }
}
