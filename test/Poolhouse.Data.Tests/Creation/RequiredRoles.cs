using System.Data.Common;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Servers;
using Poolhouse.Testing;
using SqlClient = Microsoft.Data.SqlClient;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>Pools whose connections must be to a server with a certain role.</summary>
public sealed class RequiredRoles(OwnMariaDb mariaDb) : IClassFixture<OwnMariaDb>
{
    private readonly FakeDb _first = new() { Server = "first" };
    private readonly FakeDb _second = new() { Server = "second" };
    private readonly RoleProfile _profile = new() { Roles = { ["first"] = ServerRole.Primary, ["second"] = ServerRole.Primary } };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(RequiredRole.Primary, false)]
    [InlineData(RequiredRole.Primary, true)]
    [InlineData(RequiredRole.Standby, false)]
    public async Task A_single_server_with_the_wrong_role_is_an_outage_until_that_has_changed(
        RequiredRole required, bool synchronous)
    {
        var clock = new ManualTimeProvider();
        var options = Requiring(required);
        (options.Pool.OutageTimeout, options.Pool.TimeProvider) = (TimeSpan.Zero, clock);
        var (wrong, right) = required is RequiredRole.Primary
            ? (ServerRole.Standby, ServerRole.Primary)
            : (ServerRole.Primary, ServerRole.Standby);
        _profile.Roles["first"] = wrong;
        await using var source = PooledDataSource.Create(_first, options);

        var failure = await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source, synchronous));

        Assert.True(failure.IsTransient);
        Assert.Contains(
            $"the role of the server is {wrong}, and RequiredRole is {required}.", failure.InnerException!.Message,
            StringComparison.Ordinal);
        Assert.Equal(_first.CountOf("connection.Open"), _first.CountOf("connection.Close"));
        _profile.Roles["first"] = right;
        clock.Advance(TimeSpan.FromMinutes(1));
        await (await OpenAsync(source, synchronous)).DisposeAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_several_hosts_only_a_primary_is_used_and_other_connections_are_closed(bool synchronous)
    {
        _profile.Roles["first"] = ServerRole.Standby;
        await using var source = PooledDataSource.Create([_first, _second], options: Requiring(RequiredRole.Primary));

        await using var connection = await OpenAsync(source, synchronous);

        Assert.Equal("second", connection.DataSource);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(_first.CountOf("connection.Close")), closed => closed == 1, "it is closed");
    }

    [Fact]
    public async Task Without_a_primary_the_failure_of_several_hosts_is_transient_even_if_one_host_fails_permanently()
    {
        _profile.Roles["first"] = ServerRole.Standby;
        _second.Failures["connection.Open"] = new FakeDbException("28000");
        var options = Requiring(RequiredRole.Primary);
        options.Pool.OutageTimeout = TimeSpan.Zero;
        await using var source = PooledDataSource.Create([_first, _second], options: options);

        var failure = await Assert.ThrowsAsync<DbPoolException>(async () => await source.OpenConnectionAsync(Token));

        Assert.True(failure.IsTransient);
        Assert.NotNull(failure.OutageDuration);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_error_that_shows_the_role_replaces_the_connections_to_that_host_once(bool severalHosts)
    {
        await using var source = severalHosts
            ? PooledDataSource.Create([_first], options: Requiring(RequiredRole.Primary))
            : PooledDataSource.Create(_first, Requiring(RequiredRole.Primary));
        var open = new List<DbConnection>();
        for (var each = 0; each < 4; each++)
        {
            open.Add(await source.OpenConnectionAsync(Token));
        }

        await open[2].DisposeAsync();
        await open[3].DisposeAsync();
        _first.Failures["command.NonQuery"] = new FakeDbException("25006");

        Write(open[0]);
        await open[0].DisposeAsync();
        await UntilLiveAsync(source, 1);
        await using (var newer = await source.OpenConnectionAsync(Token))
        {
            // It is from before the first error.
            Write(open[1]);
            await open[1].DisposeAsync();
        }

        await UntilLiveAsync(source, 1);
        Assert.Equal(5, source.GetStatistics().Created);
        await using var same = await source.OpenConnectionAsync(Token);
        Assert.Equal(5, source.GetStatistics().Created);
    }

    [Fact]
    public async Task Connections_to_other_hosts_stay()
    {
        await using var source = PooledDataSource.Create(
            [_first, _second], new ServerSetOptions { Selection = ServerSelection.RoundRobin }, Requiring(RequiredRole.Primary));
        await using var one = await source.OpenConnectionAsync(Token);
        await using (await source.OpenConnectionAsync(Token))
        {
        }

        var failing = one.DataSource is "first" ? _first : _second;
        failing.Failures["command.NonQuery"] = new FakeDbException("25006");
        Write(one);
        await one.DisposeAsync();

        await UntilLiveAsync(source, 1);
        await using var left = await source.OpenConnectionAsync(Token);
        Assert.NotEqual(failing.Server, left.DataSource);
    }

    [Theory]
    [InlineData(RequiredRole.Any, ServerRole.Unknown)]
    [InlineData(RequiredRole.PreferStandby, ServerRole.Unknown)]
    [InlineData(RequiredRole.Primary, ServerRole.Primary)]
    public async Task Otherwise_such_an_error_concerns_only_the_statement(RequiredRole required, ServerRole reported)
    {
        _profile.Reported = reported;
        await using var source = PooledDataSource.Create(_first, Requiring(required));
        _first.Failures["command.NonQuery"] = new FakeDbException("25006");
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            Write(connection);
        }

        await using var again = await source.OpenConnectionAsync(Token);
        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task A_provider_that_does_not_tell_roles_cannot_serve_a_pool_that_requires_one()
    {
        _profile.Roles["first"] = ServerRole.Unknown;
        await using var source = PooledDataSource.Create(_first, Requiring(RequiredRole.Primary));

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(async () => await source.OpenConnectionAsync(Token));

        Assert.StartsWith("RequiredRole is Primary; allowed: Any for this provider", failure.Message, StringComparison.Ordinal);
    }

    // Nothing else knows the connection by then.
    [Fact]
    public async Task A_connection_that_arrives_after_its_attempt_was_abandoned_is_closed()
    {
        var clock = new ManualTimeProvider();
        using var unblock = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        _first.Before["connection.Open"] = () =>
        {
            entered.Set();
            unblock.Wait(Token);
        };
        await using var source = PooledDataSource.Create([_first, _second], new ServerSetOptions { TimeProvider = clock });
        var opening = Task.Factory.StartNew(
            source.OpenConnection, Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        entered.Wait(Token);
        clock.Advance(TimeSpan.FromSeconds(5));
        await using var connection = await Patience.WithinAsync(opening);
        Assert.Equal("second", connection.DataSource);

        unblock.Set();

        await Patience.UntilAsync(
            () => ValueTask.FromResult(_first.CountOf("connection.Close")), closed => closed == 1, "it is closed");
    }

    [Fact]
    public void Each_provider_has_its_errors_of_a_server_that_refuses_writes()
    {
        var mySql = ProfileOf("MySqlConnector");
        Assert.Equal(DbErrorSeverity.Role, mySql.Classify(MySqlFailure(1290)));
        Assert.Equal(DbErrorSeverity.Role, mySql.Classify(MySqlFailure(1836)));

        // The transaction itself is read-only.
        Assert.Equal(DbErrorSeverity.Statement, mySql.Classify(MySqlFailure(1792)));
        Assert.Equal(
            DbErrorSeverity.Role, DbErrorClassifier.Default.Classify(new PostgresException("no", "ERROR", "ERROR", "25006")));
        Assert.Equal(DbErrorSeverity.Role, DbErrorClassifier.Default.Classify(new SqlClient.NumberedException(3906)));
    }

    [Fact]
    public async Task The_role_of_MariaDB_is_its_read_only_setting()
    {
        var server = await mariaDb.StartAsync();
        await using var connection = new MySqlConnection(server.ConnectionString);
        await connection.OpenAsync(Token);
        var profile = ProfileOf("MySqlConnector");
        Assert.Equal(ServerRole.Primary, await profile.GetRoleAsync(connection, Token));

        await using var command = new MySqlCommand("SET GLOBAL read_only = 1", connection);
        await command.ExecuteNonQueryAsync(Token);

        Assert.Equal(ServerRole.Standby, await profile.GetRoleAsync(connection, Token));
        command.CommandText = "SET GLOBAL read_only = 0";
        await command.ExecuteNonQueryAsync(Token);
    }

    [Fact]
    public void A_value_that_is_not_defined_is_rejected() =>
        Assert.Contains(
            "RequiredRole", Assert.Throws<ArgumentException>(() => Requiring((RequiredRole)4).Freeze()).Message,
            StringComparison.Ordinal);

    private static DbProviderProfile ProfileOf(string name) =>
        DbProviderProfile.All.Single(each => string.Equals(each.Name, name, StringComparison.Ordinal));

    private static FakeDbException MySqlFailure(int number) =>
        new(number == 1792 ? "25006" : "HY000") { Data = { ["Server Error Code"] = number } };

    private static async Task<DbConnection> OpenAsync(PooledDataSource source, bool synchronous) => synchronous
        ? await Task.Factory.StartNew(source.OpenConnection, Token, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : await source.OpenConnectionAsync(Token);

    private static void Write(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        Assert.Throws<FakeDbException>(() => command.ExecuteNonQuery());
    }

    private static Task UntilLiveAsync(PooledDataSource source, int count) => Patience.UntilAsync(
        () => ValueTask.FromResult(source.GetStatistics().Live), live => live == count, "the others are closed");

    private DbPoolOptions Requiring(RequiredRole role) => new() { RequiredRole = role, Profile = _profile };

    private sealed class RoleProfile : DbProviderProfile
    {
        public Dictionary<string, ServerRole> Roles { get; } = new(StringComparer.Ordinal);

        public ServerRole Reported { get; set; }

        public override string Name => "fake";

        public override bool Recognizes(Type type) => false;

        public override DbErrorSeverity Classify(Exception exception) =>
            exception is FakeDbException { SqlState: "25006" } ? DbErrorSeverity.Role : base.Classify(exception);

        public override ValueTask<ServerRole> GetRoleAsync(DbConnection connection, CancellationToken cancellationToken) =>
            new(Roles[connection.DataSource]);

        internal override ServerRole ReportedRole(DbConnection connection) => Reported;
    }
}
