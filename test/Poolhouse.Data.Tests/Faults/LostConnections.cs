using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promises I15 and I19 when connections are cut by the network.</summary>
public sealed class LostConnections(PostgresServer server)
{
    private const int Size = 3;

    /// <summary>What happens to the existing connections.</summary>
    private static readonly Dictionary<string, Action<FaultProxy>> _cuts = new(StringComparer.Ordinal)
    {
        ["close"] = proxy => proxy.CloseAll(),
        ["reset"] = proxy => proxy.ResetAll(),
        ["half-close towards the client"] = proxy => proxy.ToClient.HalfCloseAll(),
        ["half-close towards the server"] = proxy => proxy.ToServer.HalfCloseAll(),
    };

    public static TheoryData<string, PoolApi> Cuts => PoolApis.Each(_cuts.Keys);

    /// <summary>Without the one that does not interrupt a reply in progress.</summary>
    public static TheoryData<string, PoolApi> BusyCuts =>
        PoolApis.Each(_cuts.Keys.Where(fault => !fault.EndsWith("towards the server", StringComparison.Ordinal)));

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Lost_idle_connections_cause_at_most_one_error(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));

        _cuts[fault](line.Proxy);

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

        _cuts[fault](line.Proxy);

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
        var sleepers =
            Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.QueryAsync("SELECT 1 FROM pg_sleep(60)"))).ToList();
        await Patience.UntilAsync(() => line.Watch.CountBusyAsync(user.SessionName), busy => busy == Size, "all are busy");

        _cuts[fault](line.Proxy);

        foreach (var sleeper in sleepers)
        {
            await Assert.ThrowsAsync<NpgsqlException>(() => Patience.WithinAsync(sleeper));
        }

        // The server does not notice the loss while it sleeps.
        await line.Watch.TerminateAsync(user.SessionName);
        Assert.Equal(Size, user.Errors);
        await user.AssertRecoveredAsync(line.Watch);
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
