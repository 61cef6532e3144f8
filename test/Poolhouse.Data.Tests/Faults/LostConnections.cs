using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promises I15 and I19 when connections are cut by the network.</summary>
public sealed class LostConnections(PostgresServer server)
{
    private const int Size = 3;

    public static TheoryData<string, PoolApi> Cuts => PoolApis.Each(ConnectionCuts.All);

    public static TheoryData<string, PoolApi> BusyCuts => PoolApis.Each(ConnectionCuts.OfBusy);

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Lost_idle_connections_cause_at_most_one_error(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));

        ConnectionCuts.Apply(fault, line.Proxy);

        await user.AssertRecoveredAsync(line.Watch);
        Assert.InRange(user.Errors, 0, 1);
    }

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Lost_idle_connections_cause_no_error_with_validation(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        var options = PoolUser.Options(Size);
        options.ValidateAfterIdle = TimeSpan.Zero;
        await using var user = await line.WarmAsync(api, Size, options);

        ConnectionCuts.Apply(fault, line.Proxy);

        await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(line.Watch);
    }

    [Theory]
    [MemberData(nameof(BusyCuts))]
    public async Task Lost_busy_connections_cause_one_error_each(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));
        var failures = await ConnectionCuts.FailuresOfBusyAsync(line, user, Size, fault);

        Assert.All(failures, static failure => Assert.IsType<NpgsqlException>(failure));
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task A_truncated_reply_causes_one_error(PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));
        line.Proxy.ToClient.Add(new LimitToxic(100_000, ConnectionEnd.Reset));

        await Assert.ThrowsAsync<NpgsqlException>(
            () => Patience.WithinAsync(user.RunAsync(() => user.QueryAsync("SELECT repeat('x', 200000)"))));

        line.Proxy.Heal();
        Assert.Equal(1, user.Errors);
        await user.AssertRecoveredAsync(line.Watch);
        Assert.Equal(1, user.Errors);
    }
}
