using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>A connection that is only slow.</summary>
public sealed class SlowConnections(PostgresServer server)
{
    private const int Size = 3;

    /// <summary>The parts that are slow.</summary>
    private static readonly Dictionary<string, Action<FaultProxy>> _hindrances = new(StringComparer.Ordinal)
    {
        ["latency"] = proxy => proxy.ToClient.Add(new LatencyToxic(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(10))),
        ["bandwidth"] = proxy => proxy.ToClient.Add(new BandwidthToxic(20_000)),
        ["slicer"] = proxy =>
        {
            proxy.ToClient.Add(new SlicerToxic(3));
            proxy.ToServer.Add(new SlicerToxic(2));
        },
    };

    public static TheoryData<string, PoolApi> Hindrances => PoolApis.Each(_hindrances.Keys);

    [Theory]
    [MemberData(nameof(Hindrances))]
    public async Task A_slow_connection_causes_no_error(string fault, PoolApi api)
    {
        await using var line = await ProxiedServer.StartAsync(server);
        _hindrances[fault](line.Proxy);
        await using var user = new PoolUser(api, line.ConnectionString, PoolUser.Options(Size));

        await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 4 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));

        Assert.Equal((0, 0L), (user.Errors, user.Statistics.CreateFailures));
        await user.AssertNothingLeakedAsync(line.Watch);
    }
}
