using System.Data.Common;
using System.Globalization;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>I34: the members of one budget share the sessions of a user. Here, all of them are in this process.</summary>
public sealed class SharedServers(OwnServer ownPostgres, OwnMariaDb ownMariaDb)
    : IClassFixture<OwnServer>, IClassFixture<OwnMariaDb>
{
    public static TheoryData<string> Servers => ["PostgreSQL", "MariaDB"];

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_single_member_uses_all_places_but_its_own_and_the_spare_one(string server)
    {
        var (factory, connectionString) = await LimitAsync(server, places: 6);
        await using var member = NewMember(factory, connectionString);
        var held = new List<DbConnection>();
        for (var i = 0; i < 4; i++)
        {
            held.Add(await OpenAsync(member));
        }

        var fifth = OpenAsync(member);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(member.GetStatistics().Condition), static now => now == PoolCondition.NoRoom, "no room");

        Assert.Equal((4, 0L), (member.GetStatistics().Live, member.GetStatistics().CreateFailures));
        await held[0].DisposeAsync();
        await using var served = await Patience.WithinAsync(fifth);
        await CloseAsync(held.Skip(1));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_newcomer_gets_its_share_from_members_that_hold_all_places(string server)
    {
        var (factory, connectionString) = await LimitAsync(server, places: 11);
        await using var first = NewMember(factory, connectionString);
        using var stop = new CancellationTokenSource();
        var running = Enumerable.Range(0, 20).Select(_ => RunAsync(first, stop.Token)).ToList();
        await UntilAsync(first, live: 9);

        await using var second = NewMember(factory, connectionString);
        running.AddRange(Enumerable.Range(0, 20).Select(_ => RunAsync(second, stop.Token)));
        await UntilAsync(first, live: 4);
        await UntilAsync(second, live: 4);

        await first.DrainAsync(stop.Token);
        await UntilAsync(second, live: 9);
        await stop.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(running));
        Assert.Equal(0, second.GetStatistics().Timeouts);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Idle_sessions_are_given_up_for_a_member_whose_callers_wait(string server)
    {
        var (factory, connectionString) = await LimitAsync(server, places: 8);
        await using var idle = NewMember(factory, connectionString);
        var held = new List<DbConnection>();
        for (var i = 0; i < 6; i++)
        {
            held.Add(await OpenAsync(idle));
        }

        await CloseAsync(held);
        await using var busy = NewMember(factory, connectionString);
        var opened = new List<DbConnection>();
        for (var i = 0; i < 5; i++)
        {
            opened.Add(await OpenAsync(busy));
        }

        Assert.Equal(5, busy.GetStatistics().Live);
        await CloseAsync(opened);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task The_last_session_ends_with_the_pool(string server)
    {
        var (factory, connectionString) = await LimitAsync(server, places: 5);
        var member = NewMember(factory, connectionString);
        await (await OpenAsync(member)).DisposeAsync();
        Assert.Equal(2, await CountAsync(factory, connectionString));

        await member.DrainAsync(TestContext.Current.CancellationToken);

        await Patience.UntilAsync(
            () => new ValueTask<int>(CountAsync(factory, connectionString)), static count => count == 0, "no session");
    }

    [Fact]
    public async Task Sessions_are_named_after_the_application_and_the_budget()
    {
        var (factory, connectionString) = await LimitAsync("PostgreSQL", places: 5);
        connectionString += ";Application Name=shop";
        await using var member = NewMember(factory, connectionString);
        await using var connection = await OpenAsync(member);

        var names = await ReadAsync(
            factory, connectionString, "SELECT string_agg(application_name, '|' ORDER BY application_name) " +
            "FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()");

        Assert.Matches(@"^ph/orders/[0-9a-f]{8}/w\dh\d\|shop ph/orders/[0-9a-f]{8}$", names);
    }

    [Fact]
    public async Task Behind_a_proxy_the_budget_is_switched_off()
    {
        var postgres = await ownPostgres.StartAsync();
        await using var bouncer = await PostgresServer.StartBouncerAsync(postgres, poolSize: 3);
        var budget = ServerBudget.Join(NpgsqlFactory.Instance, bouncer.ConnectionString, "orders");
        var options = new DbPoolOptions { Reset = SessionReset.None };
        (options.Pool.MaxSize, options.Pool.Budget) = (2, budget);
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance, bouncer.ConnectionString + ";No Reset On Close=true", options);

        await using var connection = await OpenAsync(source);

        Assert.Contains("A proxy is between this process and the server", budget.SwitchedOff, StringComparison.Ordinal);
        Assert.Equal((int.MaxValue, 2), (budget.Limit, source.GetStatistics().MaxSize));
    }

    [Fact]
    public async Task Sessions_without_the_name_switch_the_budget_off()
    {
        var (factory, connectionString) = await LimitAsync("PostgreSQL", places: 5);
        await using var unnamed = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        var budget = ServerBudget.Join(unnamed, "orders");
        var options = new DbPoolOptions();
        options.Pool.Budget = budget;
        await using var source = PooledDataSource.Create(unnamed, options);
        await using var connection = await OpenAsync(source);

        await Patience.UntilAsync(() => ValueTask.FromResult(budget.SwitchedOff), static off => off is not null, "a switch");

        Assert.Contains(budget.NameFor(), budget.SwitchedOff, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Sessions_that_are_not_listed_for_some_seconds_do_not_switch_the_budget_off()
    {
        var (factory, connectionString) = await LimitAsync("PostgreSQL", places: 6);
        var postgres = await ownPostgres.StartAsync();
        var clock = new ManualTimeProvider();
        await using var unnamed = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        var budget = ServerBudget.Join(unnamed, "orders", timeProvider: clock);
        var options = new DbPoolOptions();
        options.Pool.Budget = budget;
        await using var source = PooledDataSource.Create(unnamed, options);
        await using var connection = await OpenAsync(source);

        for (var seconds = 1; seconds <= 4; seconds++)
        {
            var last = await LastListAsync();
            clock.Advance(TimeSpan.FromSeconds(1));
            await Patience.UntilAsync(NextListAsync, next => !string.Equals(next, last, StringComparison.Ordinal), "a list");
        }

        Assert.Null(budget.SwitchedOff);
        await Patience.UntilAsync(
            async () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                await QueryAsync(source);
                return budget.SwitchedOff;
            },
            static off => off is not null,
            "a switch");

        async ValueTask<string> NextListAsync()
        {
            await QueryAsync(source);
            return await LastListAsync();
        }

        Task<string> LastListAsync() => ReadAsync(
            factory, postgres.ConnectionString,
            "SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity WHERE application_name LIKE 'ph/orders/%/w%'");
    }

    [Fact]
    public async Task A_server_that_is_down_is_an_outage_and_not_a_lack_of_room()
    {
        var (factory, connectionString) = await LimitAsync("PostgreSQL", places: 5);
        var postgres = await ownPostgres.StartAsync();
        var options = OptionsOf(factory, connectionString);
        await using var member = PooledDataSource.Create(factory, connectionString, options);
        await (await OpenAsync(member)).DisposeAsync();
        await postgres.StopAsync();
        await Patience.UntilAsync(
            async () => (await Record.ExceptionAsync(() => QueryAsync(member)))?.GetType(),
            static type => type == typeof(DbPoolException), "a refusal");
        Assert.Equal(PoolCondition.Outage, member.GetStatistics().Condition);

        // On a busy machine, the next attempt may take longer than callers wait in an outage.
        options.Pool.OutageTimeout = Timeout.InfiniteTimeSpan;
        member.Reconfigure(options);
        await postgres.StartAgainAsync(TestContext.Current.CancellationToken);
        await Patience.WithinAsync(QueryAsync(member));

        await Patience.UntilAsync(
            () => ValueTask.FromResult(member.GetStatistics().MaxSize), static size => size == 3, "the limit of one member");
    }

    [Fact]
    public async Task After_a_restart_of_the_server_all_members_have_their_shares_again_and_few_opens_are_refused()
    {
        var (factory, connectionString) = await LimitAsync("PostgreSQL", places: 21);
        var postgres = await ownPostgres.StartAsync();
        await using var first = NewMember(factory, connectionString);
        await using var second = NewMember(factory, connectionString);
        await using var third = NewMember(factory, connectionString);
        await using var fourth = NewMember(factory, connectionString);
        PooledDataSource[] members = [first, second, third, fourth];
        using var stop = new CancellationTokenSource();
        var running = members.SelectMany(
            member => Enumerable.Range(0, 20).Select(_ => RunAsync(member, stop.Token))).ToList();
        await UntilAllAsync(members, live: 4);
        var refused = Refusals();

        await postgres.RestartAsync(PostgresStop.Immediate, TestContext.Current.CancellationToken);
        await UntilAllAsync(members, live: 4);

        await UntilSessionsOfMembersAsync(postgres, 4);
        Assert.InRange(Refusals() - refused, 0, 2);
        await stop.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(running));

        int Refusals() => postgres.ReadLog().Split("too many connections for role").Length;
    }

    [Fact]
    public async Task A_member_that_is_refused_its_own_session_gives_up_one_of_its_pool()
    {
        var (factory, connectionString) = await LimitAsync("PostgreSQL", places: 6);
        var postgres = await ownPostgres.StartAsync();
        await using var member = NewMember(factory, connectionString);
        var held = new List<DbConnection>();
        for (var i = 0; i < 4; i++)
        {
            held.Add(await OpenAsync(member));
        }

        await CloseAsync(held);
        await using var others = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var other = await others.OpenConnectionAsync(TestContext.Current.CancellationToken);
        await Administrator.RunAsync(
            factory, postgres.ConnectionString + ";Pooling=false",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'ph/orders/%/w%'");
        NpgsqlConnection? last = null;
        await Patience.UntilAsync(
            async () => last ??= await TryOpenAsync(others), static opened => opened is not null, "the place of the member");

        await UntilAsync(member, live: 3);
        await UntilSessionsOfMembersAsync(postgres, 1);
        await last!.DisposeAsync();
    }

    private static Task UntilSessionsOfMembersAsync(TemporaryPostgres postgres, int count) => Patience.UntilAsync(
        () => new ValueTask<string>(ReadAsync(
            NpgsqlFactory.Instance, postgres.ConnectionString,
            "SELECT count(*)::text FROM pg_stat_activity WHERE application_name LIKE 'ph/orders/%/w%'")),
        now => string.Equals(now, count.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal),
        $"{count} sessions of members");

    private static async Task<NpgsqlConnection?> TryOpenAsync(NpgsqlDataSource source)
    {
        try
        {
            return await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        }
        catch (PostgresException)
        {
            return null;
        }
    }

    private static async Task UntilAllAsync(IReadOnlyList<PooledDataSource> members, int live)
    {
        foreach (var member in members)
        {
            await UntilAsync(member, live);
        }
    }

    private static PooledDataSource NewMember(DbProviderFactory factory, string connectionString) =>
        PooledDataSource.Create(factory, connectionString, OptionsOf(factory, connectionString));

    private static DbPoolOptions OptionsOf(DbProviderFactory factory, string connectionString)
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 20;
        options.Pool.Budget = ServerBudget.Join(factory, connectionString, "orders");
        return options;
    }

    private static Task<DbConnection> OpenAsync(PooledDataSource source) =>
        source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();

    private static async Task QueryAsync(PooledDataSource source)
    {
        await using var command = source.CreateCommand("SELECT 1");
        await command.ExecuteScalarAsync(TestContext.Current.CancellationToken);
    }

    private static async Task RunAsync(PooledDataSource source, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await using var connection = await source.OpenConnectionAsync(stop);
                await PauseAsync();
            }
            catch (Exception end) when (end is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (DbException)
            {
                // The server is being restarted. Callers that are refused and try again at once occupy a thread each:
                // nothing else would run until the thread pool has one for every caller.
                await PauseAsync();
            }
        }

#pragma warning disable RS0030 // A use, or a caller's pause, that takes a moment.
        static Task PauseAsync() => Task.Delay(5, CancellationToken.None);
#pragma warning restore RS0030
    }

    private static Task UntilAsync(PooledDataSource source, int live) => Patience.UntilAsync(
        () => ValueTask.FromResult(source.GetStatistics()), now => now.Live == live && now.Creating == 0,
        $"{live} connections, and none being opened");

    private static async Task CloseAsync(IEnumerable<DbConnection> connections)
    {
        foreach (var connection in connections)
        {
            await connection.DisposeAsync();
        }
    }

    /// <summary>The sessions of the user, without the one that counts them.</summary>
    private static async Task<int> CountAsync(DbProviderFactory factory, string connectionString) => int.Parse(
        await ReadAsync(factory, connectionString, factory is NpgsqlFactory
            ? "SELECT (count(*) - 1)::text FROM pg_stat_activity WHERE usename = current_user"
            : "SELECT CAST(COUNT(*) - 1 AS CHAR) FROM information_schema.PROCESSLIST " +
                "WHERE USER = SUBSTRING_INDEX(USER(), '@', 1)"),
        provider: null);

    private static async Task<string> ReadAsync(DbProviderFactory factory, string connectionString, string query)
    {
        await using var connection = factory.CreateConnection()!;
        connection.ConnectionString = connectionString + ";Pooling=false";
        await connection.OpenAsync(TestContext.Current.CancellationToken);
        await using var command = connection.CreateCommand();
        command.CommandText = query;
        return (string)(await command.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
    }

    /// <summary>Creates a user without privileges, whom the server gives few sessions.</summary>
    private async Task<(DbProviderFactory Factory, string ConnectionString)> LimitAsync(string server, int places) =>
        server is "PostgreSQL"
            ? (NpgsqlFactory.Instance, await LimitedUser.CreateAsync(await ownPostgres.StartAsync(), places))
            : (MySqlConnectorFactory.Instance, await LimitedUser.CreateAsync(await ownMariaDb.StartAsync(), places));
}
