using System.Data.Common;
using System.Diagnostics;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promises I7, I15 and I19 when what lies between client and server fails.</summary>
public sealed class Network(PostgresServer server)
{
    private const int Size = 3;

    private static readonly TimeSpan _rentTimeout = TimeSpan.FromSeconds(1);

    /// <summary>What happens to the connections that there are.</summary>
    private static readonly Dictionary<string, Action<FaultProxy>> _cuts = new(StringComparer.Ordinal)
    {
        ["close"] = proxy => proxy.CloseAll(),
        ["reset"] = proxy => proxy.ResetAll(),
        ["half-close towards the client"] = proxy => proxy.ToClient.HalfCloseAll(),
        ["half-close towards the server"] = proxy => proxy.ToServer.HalfCloseAll(),
    };

    /// <summary>What makes the peer silent, for the connections that there are and for new ones.</summary>
    private static readonly Dictionary<string, Action<FaultProxy>> _silences = new(StringComparer.Ordinal)
    {
        ["black hole before the server"] = proxy => proxy.ToServer.Add(new BlackHoleToxic()),
        ["black hole before the client"] = proxy => proxy.ToClient.Add(new BlackHoleToxic()),
        ["late reply"] = proxy => proxy.ToClient.Add(new HoldToxic()),
        ["late request"] = proxy => proxy.ToServer.Add(new HoldToxic()),
    };

    /// <summary>What is slow, and nothing worse.</summary>
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

    public static TheoryData<string, Face> Cuts => Each(_cuts);

    public static TheoryData<string, Face> Silences => Each(_silences);

    public static TheoryData<string, Face> Hindrances => Each(_hindrances);

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Idle_connections_that_were_cut_cost_one_error_at_most(string fault, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        await using var user = await WarmAsync(face, proxy, PoolUser.Options(Size));

        _cuts[fault](proxy);

        await user.AssertRecoveredAsync(watch);
        Assert.InRange(user.Errors, 0, 1);
    }

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Idle_connections_that_were_cut_cost_no_error_when_they_are_validated(string fault, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        var options = PoolUser.Options(Size);
        options.ValidateAfterIdle = TimeSpan.Zero;
        await using var user = await WarmAsync(face, proxy, options);

        _cuts[fault](proxy);

        await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Busy_connections_that_are_cut_cost_one_error_each(string fault, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        await using var user = await WarmAsync(face, proxy, PoolUser.Options(Size));
        var sleepers = Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.AskAsync("SELECT 1 FROM pg_sleep(2)"))).ToList();
        await Patience.UntilAsync(() => watch.CountBusyAsync(user.SessionName), busy => busy == Size, "all are busy");

        _cuts[fault](proxy);

        foreach (var sleeper in sleepers)
        {
            await Assert.ThrowsAsync<NpgsqlException>(() => Patience.WithinAsync(sleeper));
        }

        Assert.Equal(Size, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(Silences))]
    public async Task Whom_a_silent_peer_leaves_waiting_hears_in_time_and_its_late_words_reach_nobody(string fault, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        await using var user = await WarmAsync(face, proxy, options, connection => connection.CommandTimeout = 4);

        _silences[fault](proxy);
        var holders = Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync())).ToList();
        await Patience.UntilAsync(() => new ValueTask<int>((int)user.Statistics.Leased), leased => leased == Size, "all are leased");
        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, _rentTimeout + Patience.Slack);
        proxy.Heal();

        // Those whose words were lost hear when the time of the command is up.
        Assert.All(await Patience.WithinAsync(Task.WhenAll(holders)), failure => Assert.True(failure is null or NpgsqlException, failure?.ToString()));
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(Silences))]
    public async Task A_validation_that_meets_a_silent_peer_holds_nobody_up(string fault, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        options.CreateTimeout = TimeSpan.FromSeconds(3);
        options.ValidateTimeout = TimeSpan.FromMilliseconds(300);
        options.ValidateAfterIdle = TimeSpan.Zero;
        await using var user = await WarmAsync(face, proxy, options);

        _silences[fault](proxy);
        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, _rentTimeout + Patience.Slack);
        proxy.Heal();
        await user.AssertRecoveredAsync(watch);
        Assert.Equal(0, user.Errors);
    }

    [Theory]
    [MemberData(nameof(Hindrances))]
    public async Task A_line_that_is_only_slow_costs_no_error(string fault, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        _hindrances[fault](proxy);
        await using var user = new PoolUser(face, ThroughProxy(await server.GetConnectionStringAsync(), proxy), PoolUser.Options(Size));

        await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, 4 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));

        Assert.Equal((0, 0L), (user.Errors, user.Statistics.CreateFailures));
        await user.AssertNothingLeakedAsync(watch);
    }

    [Theory]
    [InlineData(FaultProxyMode.Deaf, Face.LeaseAsync)]
    [InlineData(FaultProxyMode.Deaf, Face.LeaseSync)]
    [InlineData(FaultProxyMode.Deaf, Face.SourceAsync)]
    [InlineData(FaultProxyMode.Deaf, Face.SourceSync)]
    [InlineData(FaultProxyMode.Down, Face.LeaseAsync)]
    [InlineData(FaultProxyMode.Down, Face.LeaseSync)]
    [InlineData(FaultProxyMode.Down, Face.SourceAsync)]
    [InlineData(FaultProxyMode.Down, Face.SourceSync)]
    public async Task While_nobody_answers_the_door_callers_hear_in_time_and_are_served_when_it_opens(FaultProxyMode mode, Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        options.CreateTimeout = TimeSpan.FromSeconds(3);
        await using var user = await WarmAsync(face, proxy, options);

        proxy.Mode = mode;
        proxy.ResetAll();
        user.Clear();
        var started = Stopwatch.GetTimestamp();
        var heard = await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));

        Assert.All(heard, failure => Assert.True(failure!.IsTransient, failure.ToString()));
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, _rentTimeout + Patience.Slack);
        Assert.Equal(0, user.Errors);
        proxy.Mode = FaultProxyMode.Open;
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(Faces.All), MemberType = typeof(Faces))]
    public async Task A_reply_that_breaks_off_in_the_middle_costs_one_error(Face face)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var proxy = await StartProxyAsync();
        await using var user = await WarmAsync(face, proxy, PoolUser.Options(Size));
        proxy.ToClient.Add(new LimitToxic(100_000, ConnectionEnd.Reset));

        await Assert.ThrowsAsync<NpgsqlException>(() => Patience.WithinAsync(user.RunAsync(() => user.AskAsync("SELECT repeat('x', 200000)"))));

        proxy.Heal();
        Assert.Equal(1, user.Errors);
        await user.AssertRecoveredAsync(watch);
        Assert.Equal(1, user.Errors);
    }

    private static TheoryData<string, Face> Each(Dictionary<string, Action<FaultProxy>> faults) => new(
        from fault in faults.Keys
        from face in Enum.GetValues<Face>()
        select (fault, face));

    private static string ThroughProxy(string connectionString, FaultProxy proxy) =>
        new NpgsqlConnectionStringBuilder(connectionString) { Host = proxy.Host, Port = proxy.Port }.ConnectionString;

    private async Task<FaultProxy> StartProxyAsync()
    {
        var direct = new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync());
        return FaultProxy.Start(direct.Host!, direct.Port);
    }

    private async Task<PoolUser> WarmAsync(Face face, FaultProxy proxy, Resources.ResourcePoolOptions options, Action<NpgsqlConnectionStringBuilder>? connect = null)
    {
        var user = new PoolUser(face, ThroughProxy(await server.GetConnectionStringAsync(), proxy), options, connect: connect);
        await user.WarmUpAsync(Size);
        return user;
    }
}
