using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>
/// Promises I1, I3, I8, I9 and I21 under load: every caller reads its own nonce and finds a clean session, while callers cancel, commands
/// time out, and sessions are ended by the administrator.
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
        await RunAsync(api, await server.GetConnectionStringAsync(), maxSize, callers);

    [Theory]
    [InlineData(PoolApi.LeaseAsync)]
    [InlineData(PoolApi.SourceAsync)]
    public async Task Every_caller_reads_its_own_nonce_over_a_slow_connection(PoolApi api)
    {
        var direct = new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync());
        await using var proxy = FaultProxy.Start(direct.Host!, direct.Port);
        proxy.ToClient.Add(new LatencyToxic(TimeSpan.FromMilliseconds(4), TimeSpan.FromMilliseconds(3)));
        proxy.ToServer.Add(new SlicerToxic(16));

        await RunAsync(api, new NpgsqlConnectionStringBuilder(direct.ConnectionString) { Host = proxy.Host, Port = proxy.Port }.ConnectionString, maxSize: 4, callers: 16);
    }

    private async Task RunAsync(PoolApi api, string connectionString, int maxSize, int callers)
    {
        var settings = new SoakSettings(output);
        var options = PoolUser.Options(maxSize);
        options.ValidateAfterIdle = TimeSpan.FromMilliseconds(50);
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = new PoolUser(api, connectionString, options);
        await using var sampler = await SessionSampler.StartAsync(user, await server.GetConnectionStringAsync());
        var tally = new SoakTally();
        using var ended = new CancellationTokenSource(settings.Duration);

#pragma warning disable CA2025 // They are waited for before anything is disposed.
        var crowd = Enumerable.Range(0, callers)
            .Select(number => user.RunAsync(() => new SoakCaller(user, new Random(settings.Seed + number), tally).CallAsync(ended)))
            .Append(EndSessionsAsync(watch, user, new Random(settings.Seed - 1), tally, ended))
            .ToList();
#pragma warning restore CA2025
        await Task.WhenAll(crowd).WaitAsync(settings.Duration + Patience.Limit, TestContext.Current.CancellationToken);
        await user.AssertNothingLeakedAsync(watch);
        await sampler.StopAsync();

        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{tally}; {sampler.Samples} samples, at most {sampler.Most} sessions; {user.Statistics.Created} created"));
        Assert.Empty(sampler.Violations);
        Assert.InRange(sampler.Samples, 10, int.MaxValue);
        Assert.InRange(sampler.Most, maxSize, long.MaxValue);
        Assert.All(user.ErrorsOfSessions, session => Assert.Equal(1, session.Value));
        Assert.InRange(tally.Answered, callers, long.MaxValue);
        Assert.InRange(tally.GivenUp, 1, long.MaxValue);
        Assert.InRange(tally.Ended, 1, long.MaxValue);
        Assert.InRange(tally.Failed, 0, tally.Ended + user.Statistics.CreateFailures);
    }

    private static async Task EndSessionsAsync(ServerWatch watch, PoolUser user, Random random, SoakTally tally, CancellationTokenSource ended)
    {
        try
        {
            while (!ended.IsCancellationRequested)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(100 + random.Next(400)), CancellationToken.None);
                tally.CountEnded(await watch.TerminateAsync(user.SessionName, atMost: 1));
            }
        }
        catch
        {
            await ended.CancelAsync();
            throw;
        }
    }
}
