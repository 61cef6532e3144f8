using Poolhouse.Testing;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>
/// Promises I15 and I19 on a model of SQL Server, as <see cref="TerminatedBackends"/> and <see cref="LostConnections"/> check
/// them on PostgreSQL. Its messages are short, so a request and its reply are cut at each of their bytes.
/// </summary>
public sealed class OnSqlServer : IAsyncDisposable
{
    private const int Size = 3;

    private readonly TdsServer _server = TdsServer.Start();

    public static TheoryData<string, PoolApi> Cuts => PoolApis.Each(ConnectionCuts.All);

    public static TheoryData<string, PoolApi> BusyCuts => PoolApis.Each(ConnectionCuts.OfBusy);

    public static TheoryData<PoolApi, bool, ConnectionEnd> Bytes => new(
        from isReply in (bool[])[false, true]
        from each in ((PoolApi Api, ConnectionEnd End)[])
            [(PoolApi.SourceAsync, ConnectionEnd.Close), (PoolApi.SourceSync, ConnectionEnd.Reset)]
        select (each.Api, isReply, each.End));

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Lost_idle_connections_cause_at_most_one_error_each(string fault, PoolApi api)
    {
        await using var line = Connect();
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));

        ConnectionCuts.Apply(fault, line.Proxy);

        await user.AssertRecoveredAsync(line.Watch);
        Assert.InRange(user.Errors, 0, Size);
    }

    [Theory]
    [MemberData(nameof(BusyCuts))]
    public async Task Lost_busy_connections_cause_one_error_each(string fault, PoolApi api)
    {
        await using var line = Connect();
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));
        var failures = await ConnectionCuts.FailuresOfBusyAsync(line, user, Size, fault);

        Assert.All(failures, static failure => Assert.True(PoolUser.IsFailure(failure)));
    }

    [Theory]
    [MemberData(nameof(Bytes))]
    public async Task A_message_that_is_cut_at_any_byte_causes_one_error(PoolApi api, bool isReply, ConnectionEnd end)
    {
        await using var line = Connect();
        await using var user = await line.WarmAsync(api, 1, PoolUser.Options(1));
        var direction = isReply ? line.Proxy.ToClient : line.Proxy.ToServer;
        var bytes = 0;
        while (await IsLostAsync(bytes))
        {
            bytes++;
            Assert.Equal(bytes, user.Errors);
            Assert.True(await Patience.WithinAsync(user.RunAsync(() => user.TryServeAsync())));
        }

        Assert.InRange(bytes, 20, 200);
        await user.AssertRecoveredAsync(line.Watch);

        async Task<bool> IsLostAsync(int bytes)
        {
            direction.Add(new LimitToxic(bytes, end));
            var isServed = await Patience.WithinAsync(user.RunAsync(() => user.TryServeAsync()));
            line.Proxy.Heal();
            return !isServed;
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_login_that_is_cut_delays_its_caller(bool isReply)
    {
        await using var line = Connect();
        await using var user = await line.WarmAsync(PoolApi.SourceAsync, 1, PoolUser.Options(1));
        var direction = isReply ? line.Proxy.ToClient : line.Proxy.ToServer;
        for (var bytes = 0; bytes < 300; bytes += 15)
        {
            direction.Add(new LimitToxic(bytes, ConnectionEnd.Reset));
            user.Clear();
            var failures = user.Statistics.CreateFailures;
            var served = user.RunAsync(() => user.TryServeAsync());
            await Patience.UntilAsync(
                () => ValueTask.FromResult(user.Statistics.CreateFailures), now => now > failures, "a login has failed");
            line.Proxy.Heal();
            Assert.True(await Patience.WithinAsync(served));
        }

        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(line.Watch);
    }

    private ProxiedServer Connect() => ProxiedServer.Start(new SqlServerKind(_server), _server.ConnectionString);
}
