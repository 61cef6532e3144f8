using System.Collections.Concurrent;
using System.Data;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.TestSupport;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>User names and passwords that come from a callback, and change (promise I28).</summary>
public sealed class Credentials(PostgresServer shared)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_password_change_under_load_causes_no_error(bool synchronous)
    {
        await using var server = await PostgresServer.StartOwnAsync(new TemporaryPostgresOptions { Password = "first" });
        var password = "first";
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            new NpgsqlConnectionStringBuilder(server.ConnectionString) { Password = null }.ConnectionString,
            new DbPoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 4 },
                Credentials = _ => new ValueTask<DbCredential>(new DbCredential(null, Volatile.Read(ref password))),
                CredentialSpread = TimeSpan.FromMilliseconds(100),
            });
        var before = new ConcurrentDictionary<int, bool>();
        var after = new ConcurrentDictionary<int, bool>();
        var seen = before;
        using var ended = new CancellationTokenSource();
        var users = Enumerable.Range(0, 8)
            .Select(
                _ => Task.Factory.StartNew(
                    UseAsync, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap())
            .ToList();

        await Patience.UntilAsync(
            () => new ValueTask<int>(before.Count), count => count == 4, "all connections are used with the first password");

        await using (var admin = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        await using (var command = admin.CreateCommand())
        {
            command.CommandText = $"ALTER USER {server.User} PASSWORD 'second'";
            await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
        }

        // The pool detects it at the next open: one more connection may be opened, and callers wait for it.
        Volatile.Write(ref password, "second");
        Volatile.Write(ref seen, after);
        source.Resize(5);
        await Patience.UntilAsync(
            () => new ValueTask<int>(after.Keys.Count(pid => !before.ContainsKey(pid))), count => count >= 5,
            "all connections are opened with the second password");
        await ended.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(users));
        Assert.InRange(source.GetStatistics().Live, 1, 5);
        Assert.Equal(0, source.GetStatistics().CreateFailures);

        async Task UseAsync()
        {
            while (!ended.IsCancellationRequested)
            {
                await using var connection =
                    synchronous ? source.OpenConnection() : await source.OpenConnectionAsync(CancellationToken.None);
                Assert.Equal(ConnectionState.Open, connection.State);
                await using var command = connection.CreateCommand();
                command.CommandText = "SELECT pg_backend_pid()";
                var pid =
                    (int)(synchronous ? command.ExecuteScalar() : await command.ExecuteScalarAsync(CancellationToken.None))!;
                Volatile.Read(ref seen)[pid] = true;
            }
        }
    }

    [Fact]
    public async Task Tokens_of_one_identity_do_not_replace_connections()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        await using var admin = NpgsqlDataSource.Create(server.ConnectionString);
        await ExecuteAsync("CREATE USER service");
        var calls = 0;
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            server.ConnectionString,
            new DbPoolOptions
            {
                Credentials = async _ =>
                {
                    var token = $"token {++calls}";
                    await ExecuteAsync($"ALTER USER service PASSWORD '{token}'");
                    return new DbCredential("service", token) { Identity = "service" };
                },
                CredentialSpread = TimeSpan.Zero,
                Pool = { MaxConcurrentCreates = 1 },
            });

        await source.WarmUpAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal(3, calls);
        Assert.Equal((3, 0L), (source.GetStatistics().Live, source.GetStatistics().DestroyedFor(DestroyReason.Cleared)));

        async Task ExecuteAsync(string statement)
        {
            await using var command = admin.CreateCommand(statement);
            await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    public async Task A_connection_that_is_opened_with_a_new_password_serves_its_caller(int spread)
    {
        using var db = new FakeDb();
        await using var source = WithNewPasswords(db, spread);
        await using var first = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        await using var second = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);

        Assert.Equal((2, 0L), (db.CountOf("connection.Open"), source.GetStatistics().Destroyed));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    public async Task A_connection_whose_password_is_replaced_while_it_is_opened_serves_its_caller(int spread)
    {
        using var db = new FakeDb();
        using var opening = new SlowOpen(db);
        await using var source = WithNewPasswords(db, spread);
        var first = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        opening.WaitUntilBegun();
        var second = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        await Patience.WithinAsync(Task.WhenAny(first, second));
        opening.Finish();

        await using var one = await Patience.WithinAsync(first);
        await using var other = await Patience.WithinAsync(second);
        Assert.Equal(2, db.CountOf("connection.Open"));
    }

    [Fact]
    public async Task A_connection_whose_password_was_replaced_while_it_was_opened_is_not_rented_after_the_spread()
    {
        using var db = new FakeDb();
        using var opening = new SlowOpen(db);
        await using var source = WithNewPasswords(db, spread: 0);
        var one = source.WarmUpAsync(1, TestContext.Current.CancellationToken);
        opening.WaitUntilBegun();
        var two = source.WarmUpAsync(2, TestContext.Current.CancellationToken);
        await Patience.UntilAsync(
            () => new ValueTask<int>(source.GetStatistics().Idle), static idle => idle == 1, "the second connection is open");
        opening.Finish();
        await Patience.WithinAsync(Task.WhenAll(one, two));

        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.Equal(
            (2, 1L), (db.CountOf("connection.Open"), source.GetStatistics().DestroyedFor(DestroyReason.Expired)));
    }

    [Fact]
    public async Task Exceptions_of_the_callback_reach_the_caller()
    {
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            "Host=127.0.0.1;Port=1",
            new DbPoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 1, OutageTimeout = TimeSpan.Zero },
                Credentials = _ => throw new UnauthorizedAccessException("the vault is unavailable"),
            });

        await Assert.ThrowsAsync<UnauthorizedAccessException>(
            async () => await source.OpenConnectionAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task With_several_hosts_a_new_credential_replaces_the_connections_to_all_of_them()
    {
        var name = "first";
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            await TwoHostsAsync("127.0.0.1,localhost"),
            new DbPoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 3 },
                Credentials = _ => new(new DbCredential(null, null) { Identity = name }),
                CredentialSpread = TimeSpan.Zero,
            });
        await using (await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        await using (await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal([1, 1], source.Servers!.GetStatistics().Select(host => host.Items));
            name = "second";
            await using var third = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        }

        await Patience.UntilAsync(
            () => new ValueTask<int>(source.GetStatistics().Live), live => live == 1, "those that were opened before are closed");
        Assert.Equal([0, 1], source.Servers!.GetStatistics().Select(host => host.Items).Order());
    }

    // The callback is called once for a connection, and its failure is not that of a host.
    [Fact]
    public async Task With_several_hosts_the_next_one_is_tried_with_the_same_credential()
    {
        using var refusing = RefusingPort.Bind(out var port);
        var asked = 0;
        Exception? failure = null;
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            await TwoHostsAsync($"127.0.0.1:{port},127.0.0.1"),
            new DbPoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 2, OutageTimeout = TimeSpan.Zero },
                Credentials = _ =>
                {
                    asked++;
                    return failure is null ? new(new DbCredential(null, null)) : throw failure;
                },
            });
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);

        Assert.Equal((1, "1, 0"), (asked, FailuresOfHosts()));
        failure = new UnauthorizedAccessException("the vault is unavailable");
        await Assert.ThrowsAsync<UnauthorizedAccessException>(
            async () => await source.OpenConnectionAsync(TestContext.Current.CancellationToken));
        Assert.Equal("1, 0", FailuresOfHosts());

        string FailuresOfHosts() => string.Join(", ", source.Servers!.GetStatistics().Select(host => host.Failures));
    }

    [Theory]
    [InlineData("Host=fake;UID=x;PWD=x", null)]
    [InlineData("Host=fake;PWD=x", "Username, ")]
    [InlineData("Host=fake;UID=x", "Password, ")]
    public async Task A_credential_without_a_keyword_in_the_connection_string_is_refused(string connectionString, string? missing)
    {
        using var db = new FakeDb();
        await using var source = WithNewPasswords(db, spread: 60, connectionString);
        var refusal = await Record.ExceptionAsync(
            async () => await (await source.OpenConnectionAsync(TestContext.Current.CancellationToken)).DisposeAsync());

        if (missing is null)
        {
            Assert.Null(refusal);
            Assert.Equal("host=fake;uid=anna;pwd=\"password 1\"", db.Connections[0].ConnectionString);
        }
        else
        {
            Assert.Contains(missing, Assert.IsType<InvalidOperationException>(refusal).Message, StringComparison.Ordinal);
            Assert.Empty(db.Connections);
        }
    }

    [Fact]
    public async Task A_late_answer_does_not_replace_the_credential_of_a_later_call()
    {
        using var db = new FakeDb();
        var late = new TaskCompletionSource<DbCredential>();
        var asked = new TaskCompletionSource();
        await using var source = PooledDataSource.Create(
            new FakeFactory(db),
            "Host=fake;Username=x;Password=x",
            new DbPoolOptions
            {
                Reset = SessionReset.None,
                Credentials = _ =>
                {
                    var answer = asked.TrySetResult() ? late.Task : Task.FromResult(new DbCredential("anna", "new"));
                    return new ValueTask<DbCredential>(answer);
                },
                CredentialSpread = TimeSpan.Zero,
            });
        var slow = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        await Patience.WithinAsync(asked.Task);
        var quick = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        await Patience.WithinAsync(Task.WhenAny(slow, quick));
        late.SetResult(new DbCredential("anna", "old"));
        await (await Patience.WithinAsync(slow)).DisposeAsync();
        await (await Patience.WithinAsync(quick)).DisposeAsync();

        await using var one = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        await using var other = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.Equal((2, 0L), (db.CountOf("connection.Open"), source.GetStatistics().Destroyed));
    }

    [Fact]
    public void The_text_of_a_credential_is_hidden() =>
        Assert.Equal("DbCredential", new DbCredential("user", "secret").ToString());

    [Fact]
    public void Credentials_are_rejected_for_a_data_source_with_its_own()
    {
        using var plain = NpgsqlDataSource.Create("Host=h;Pooling=false");

        Assert.Throws<ArgumentException>(() => PooledDataSource.Create(plain, new DbPoolOptions { Credentials = _ => default }));
    }

    private async Task<string> TwoHostsAsync(string hosts) => new NpgsqlConnectionStringBuilder(
        await shared.CreateDatabaseAsync())
    {
        Host = hosts,
        LoadBalanceHosts = !hosts.Contains(':', StringComparison.Ordinal),
    }.ConnectionString;

    /// <summary>A pool whose callback returns another password at each call.</summary>
    private static PooledDataSource WithNewPasswords(
        FakeDb db, int spread, string connectionString = "Host=fake;Username=x;Password=x")
    {
        var calls = 0;
        return PooledDataSource.Create(
            new FakeFactory(db),
            connectionString,
            new DbPoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 3 },
                Reset = SessionReset.None,
                Credentials = _ => new ValueTask<DbCredential>(
                    new DbCredential("anna", $"password {Interlocked.Increment(ref calls)}")),
                CredentialSpread = TimeSpan.FromSeconds(spread),
            });
    }

    /// <summary>The first connection is opened slowly.</summary>
    private sealed class SlowOpen : IDisposable
    {
        private readonly ManualResetEventSlim _begun = new();
        private readonly ManualResetEventSlim _goesOn = new();

        public SlowOpen(FakeDb db) => db.Before["connection.Open"] = () =>
        {
            if (db.Before.TryRemove("connection.Open", out _))
            {
                _begun.Set();
                _goesOn.Wait(Patience.Limit);
            }
        };

        public void WaitUntilBegun() => Assert.True(_begun.Wait(Patience.Limit, TestContext.Current.CancellationToken));

        public void Finish() => _goesOn.Set();

        public void Dispose()
        {
            _goesOn.Set();
            _begun.Dispose();
            _goesOn.Dispose();
        }
    }
}
