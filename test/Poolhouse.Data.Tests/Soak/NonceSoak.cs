using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>
/// Promises I1, I3, I8, I9 and I21 under load: every caller reads its own nonce and finds a clean session, while callers cancel,
/// commands time out, and sessions are ended by the administrator.
/// </summary>
public sealed class NonceSoak(PostgresServer server, ITestOutputHelper output)
{
    /// <summary>Sizes of the pool and numbers of callers: 2, 5 and 20 times as many.</summary>
    public static TheoryData<PoolApi, int, int> Crowds => new(
        (PoolApi.LeaseAsync, 4, 20),
        (PoolApi.LeaseSync, 3, 6),
        (PoolApi.SourceAsync, 2, 40),
        (PoolApi.SourceSync, 4, 20));

    [Theory]
    [MemberData(nameof(Crowds))]
    public async Task Every_caller_reads_its_own_nonce_in_a_clean_session(PoolApi api, int maxSize, int callers) =>
        await new SoakRun(
            ServerKind.PostgreSql, api, await server.GetConnectionStringAsync(), new SoakSettings(output), output).RunAsync(
                maxSize, callers);

    [Theory]
    [InlineData(PoolApi.LeaseAsync)]
    [InlineData(PoolApi.SourceAsync)]
    public async Task Every_caller_reads_its_own_nonce_over_a_slow_connection(PoolApi api)
    {
        var direct = new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync());
        await using var proxy = FaultProxy.Start(direct.Host!, direct.Port);
        proxy.ToClient.Add(new LatencyToxic(TimeSpan.FromMilliseconds(4), TimeSpan.FromMilliseconds(3)));
        proxy.ToServer.Add(new SlicerToxic(16));

        await new SoakRun(ServerKind.PostgreSql, api, direct.ConnectionString, new SoakSettings(output), output).RunAsync(
            maxSize: 4, callers: 16, through: proxy);
    }
}
