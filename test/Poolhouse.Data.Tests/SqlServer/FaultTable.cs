using System.Data.Common;
using Dapper;
using Microsoft.Data.SqlClient;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>In every fault, a pool opens no more sessions than SqlClient's own pool, and reports the same errors.</summary>
public sealed class FaultTable : ModelServerTests
{
    private const string Sleep = "WAITFOR DELAY '00:00:30'";

    private static readonly Dictionary<string, Func<Fault, Task>> _faults = new(StringComparer.Ordinal)
    {
        ["idle sessions are killed"] = async fault =>
        {
            await fault.UseAsync("SELECT 1");
            fault.Server.KillAll();
            await UntilEndedAsync(fault.Server);
            await fault.UseAsync("SELECT 1");
        },
        ["a session is killed in use"] = async fault =>
        {
            await fault.WithAsync(async connection =>
            {
                await connection.ExecuteAsync("SELECT 1");
                fault.Server.KillAll();
                await UntilEndedAsync(fault.Server);
                await connection.ExecuteAsync("SELECT 1");
            });
            await fault.UseAsync("SELECT 1");
        },
        ["a statement is killed"] = async fault =>
        {
            await fault.WithAsync(connection => WhileRunningAsync(
                fault.Server, connection.ExecuteAsync(Sleep), () =>
                {
                    fault.Server.KillAll();
                    return Task.CompletedTask;
                }));
            await fault.UseAsync("SELECT 1");
        },
        ["three statements are cancelled"] = async fault =>
        {
            for (var i = 0; i < 3; i++)
            {
                await fault.WithAsync(async connection =>
                {
                    using var cancel = new CancellationTokenSource();
                    await WhileRunningAsync(
                        fault.Server, connection.ExecuteAsync(new CommandDefinition(Sleep, cancellationToken: cancel.Token)),
                        cancel.CancelAsync);
                });
            }

            await fault.UseAsync("SELECT 1");
        },
        ["three commands are cancelled"] = async fault =>
        {
            for (var i = 0; i < 3; i++)
            {
                await fault.WithAsync(async connection =>
                {
                    await using var command = connection.CreateCommand();
                    command.CommandText = Sleep;
                    await WhileRunningAsync(
                        fault.Server, Task.Run(() => command.ExecuteNonQuery()), () =>
                        {
                            command.Cancel();
                            return Task.CompletedTask;
                        });
                });
            }

            await fault.UseAsync("SELECT 1");
        },
        ["a statement times out"] = async fault =>
        {
            await fault.WithAsync(connection => connection.ExecuteAsync(Sleep, commandTimeout: 1));
            await fault.UseAsync("SELECT 1");
        },
        ["a statement fails"] = async fault =>
        {
            await fault.UseAsync("SELECT * FROM nothing");
            await fault.UseAsync("SELECT 1");
        },
        ["the database is changed"] = async fault =>
        {
            await fault.UseAsync("USE warehouse");
            await fault.UseAsync("SELECT 1");
        },
        ["a transaction is abandoned"] = async fault =>
        {
            await fault.UseAsync("BEGIN TRAN");
            await fault.UseAsync("SELECT 1");
        },
        ["the server restarts"] = async fault =>
        {
            await fault.UseAsync("SELECT 1");
            fault.Server.Stop();
            await UntilEndedAsync(fault.Server);
            fault.Server.StartAgain();
            await fault.UseAsync("SELECT 1");
        },
    };

    public static TheoryData<string, bool> Faults => new(
        from fault in _faults.Keys
        from leases in (bool[])[false, true]
        select (fault, leases));

    [Theory]
    [MemberData(nameof(Faults))]
    public async Task A_fault_costs_no_more_than_with_the_drivers_pool(string name, bool leases)
    {
        await using var theirs = TdsServer.Start();
        await using var source = CreateSource();
        await using var pool = CreatePool();
        var driver = new Fault(theirs, async useAsync =>
        {
            await using var connection = new SqlConnection(theirs.ConnectionString);
            await connection.OpenAsync(Token);
            await useAsync(connection);
        });
        var own = new Fault(Server, leases ? LeaseAsync : OpenAsync, leases ? pool.GetStatistics : source.GetStatistics);

        await _faults[name](driver);
        await _faults[name](own);

        Assert.InRange(Server.Logins, 1, theirs.Logins);
        Assert.InRange(own.Errors.Count, 0, driver.Errors.Count);
        Assert.Equal(
            driver.Errors.Select(failure => (failure.GetType(), (failure as SqlException)?.Number)),
            own.Errors.Select(failure => (failure.GetType(), (failure as SqlException)?.Number)));
        SqlConnection.ClearPool(new SqlConnection(theirs.ConnectionString));

        async Task OpenAsync(Func<DbConnection, Task> useAsync)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            await useAsync(connection);
        }

        async Task LeaseAsync(Func<DbConnection, Task> useAsync)
        {
            await using var lease = await pool.RentAsync(Token);
            await RunAsync(lease, useAsync);
        }

        async Task RunAsync(Lease<SqlConnection> lease, Func<DbConnection, Task> useAsync)
        {
            try
            {
                await useAsync(lease.Value);
            }
            catch (Exception failure)
            {
                pool.ObserveFailure(lease, failure);
                throw;
            }
        }
    }

    [Theory]
    [InlineData(40613)]
    [InlineData(40197)]
    [InlineData(18401)]
    [InlineData(4060)]
    [InlineData(10928)]
    public async Task A_temporary_error_of_the_login_does_not_reach_the_caller(int number)
    {
        var refused = 0;
        Server.RefuseLogin = _ => Interlocked.Increment(ref refused) == 1
            ? new TdsError(number, "Not now.", severity: 16, endsBatch: true)
            : null;
        await using var source = CreateSource(new DbPoolOptions { Pool = { MaxSize = 1, OutageTimeout = Patience.Limit } });
        await using var connection = await source.OpenConnectionAsync(Token);
        Assert.Equal((1, 1), (await connection.ExecuteScalarAsync<int>("SELECT 1"), Server.Logins));
        Assert.Equal(2, refused);
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData(";Connect Retry Interval=7", 7)]
    public void The_driver_waits_a_second_before_it_repeats_a_login_unless_the_string_sets_it(string setting, int expected)
    {
        using var source = new SqlClientProfile().SourcesOfOne(SqlClientFactory.Instance, "Server=any" + setting, configure: null)();
        Assert.Equal(expected, new SqlConnectionStringBuilder(source.ConnectionString).ConnectRetryInterval);
    }

    [Theory]
    [InlineData(18456)]
    [InlineData(18487)]
    [InlineData(916)]
    public async Task A_permanent_error_of_the_login_reaches_the_caller_at_once(int number)
    {
        Server.RefuseLogin = _ => new TdsError(number, "No.", severity: 14, endsBatch: true);
        await using var source = CreateSource(new DbPoolOptions { Pool = { MaxSize = 1, OutageTimeout = Patience.Limit } });
        var failure = await Assert.ThrowsAsync<SqlException>(async () => await source.OpenConnectionAsync(Token));
        Assert.Equal(number, failure.Number);
    }

    [Fact]
    public async Task An_access_token_is_sent_with_each_login_and_not_shown()
    {
        const string Secret = "token-of-the-test";
        var asked = 0;
        var seen = new List<string?>();
        Server.RefuseLogin = login =>
        {
            seen.Add(login.AccessToken);
            return null;
        };
        var text = new SqlConnectionStringBuilder(Server.ConnectionString);
        text.Remove("User ID");
        text.Remove("Password");
        var options = new DbPoolOptions
        {
            Pool = { MaxSize = 2 },
            Credentials = _ =>
            {
                asked++;
                return new(new DbCredential(UserName: null, Password: null)
                {
                    Identity = "app",
                    Configure = connection => ((SqlConnection)connection).AccessToken = Secret,
                });
            },
        };
        await using var pool = new DbConnectionPool<SqlConnection>(SqlClientFactory.Instance, text.ConnectionString, options);
        await using (var one = await pool.RentAsync(Token))
        await using (var two = await pool.RentAsync(Token))
        {
            await one.Value.ExecuteAsync("SELECT 1");
            await two.Value.ExecuteAsync("SELECT 1");
            Assert.DoesNotContain(Secret, one.Value.ConnectionString, StringComparison.Ordinal);
        }

        await using (var again = await pool.RentAsync(Token))
        {
            await again.Value.ExecuteAsync("SELECT 1");
        }

        Assert.Equal([Secret, Secret], seen);
        Assert.Equal((2, 2), (asked, Server.Logins));
    }

    [Fact]
    public async Task A_callback_for_tokens_is_asked_at_each_login_and_its_token_is_not_shown()
    {
        const string Secret = "token-of-the-callback";
        var seen = new List<string?>();
        TdsError? refusal = null;
        Server.RefuseLogin = login =>
        {
            seen.Add(login.AccessToken);
            return refusal;
        };
        var text = new SqlConnectionStringBuilder(Server.ConnectionString);
        text.Remove("User ID");
        text.Remove("Password");
        Func<SqlAuthenticationParameters, CancellationToken, Task<SqlAuthenticationToken>> callback =
            (_, _) => Task.FromResult(new SqlAuthenticationToken(Secret, DateTimeOffset.MaxValue));
        var options = new DbPoolOptions
        {
            Pool = { MaxSize = 2, OutageTimeout = TimeSpan.Zero },
            Credentials = _ => new(new DbCredential(UserName: null, Password: null)
            {
                Identity = "app",
                Configure = connection => ((SqlConnection)connection).AccessTokenCallback = callback,
            }),
        };
        await using var source = PooledDataSource.Create(SqlClientFactory.Instance, text.ConnectionString, options);
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
            Assert.DoesNotContain(Secret, connection.ConnectionString, StringComparison.Ordinal);
        }

        refusal = new TdsError(18456, "Login failed.", severity: 14);
        source.Clear();
        var failure = await Assert.ThrowsAsync<SqlException>(async () => await source.OpenConnectionAsync(Token));
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, source.GetStatistics().ToString()!, StringComparison.Ordinal);
        Assert.Equal([Secret, Secret], seen);
        Assert.Equal((1, 2), (Server.Logins, Server.Resets));
    }

    // Another delegate would mean another pool of the driver, and a login with each reset.
    [Fact]
    public void A_callback_for_tokens_is_set_once_on_all_connections_of_a_session()
    {
        var configured = 0;
        using var source = new SqlClientSource(SqlClientFactory.Instance, "Server=unused", connection =>
        {
            configured++;
            ((SqlConnection)connection).AccessTokenCallback = (_, _) => throw new InvalidOperationException();
        });
        using var one = (SqlConnection)source.CreateConnection();
        using var two = (SqlConnection)source.CreateConnection();
        Assert.NotNull(one.AccessTokenCallback);
        Assert.Same(one.AccessTokenCallback, two.AccessTokenCallback);
        Assert.Equal((1, one.ConnectionString), (configured, two.ConnectionString));
    }

    [Fact]
    public void The_providers_reset_is_rejected_where_sources_share_a_pool()
    {
        var failure = Assert.Throws<ArgumentException>(() => PooledDataSource.Create(
            () => SqlClientFactory.Instance.CreateDataSource(Server.ConnectionString)));
        Assert.StartsWith("The data sources of a PerConnectionDataSource share one pool", failure.Message, StringComparison.Ordinal);
        failure = Assert.Throws<ArgumentException>(() => PooledDataSource.Create(
            Microsoft.Data.Sqlite.SqliteFactory.Instance, "Data Source=x.db", new DbPoolOptions { Reset = SessionReset.Provider }));
        Assert.StartsWith("Reset is SessionReset.Provider", failure.Message, StringComparison.Ordinal);
    }

    private static Task UntilEndedAsync(TdsServer server)
    {
        var since = TimeProvider.System.GetTimestamp();
        return Patience.UntilAsync(
            () => ValueTask.FromResult((server.Sessions.Count, TimeProvider.System.GetElapsedTime(since).TotalMilliseconds)),
            now => now is (0, > 20), "the sessions have ended");
    }

    private static async Task WhileRunningAsync(TdsServer server, Task running, Func<Task> actAsync)
    {
        await Patience.UntilAsync(
            () => ValueTask.FromResult(running.IsCompleted || server.Sessions.Any(session => session.IsBusy)), seen => seen,
            "the statement is running");
        await actAsync();
        await Patience.WithinAsync(running);
    }

    private sealed record Fault(
        TdsServer Server, Func<Func<DbConnection, Task>, Task> RunAsync, Func<ResourcePoolStatistics>? Read = null)
    {
        public List<Exception> Errors { get; } = [];

        public Task UseAsync(string statement) => WithAsync(connection => connection.ExecuteAsync(statement));

        public async Task WithAsync(Func<DbConnection, Task> useAsync)
        {
            try
            {
                await RunAsync(useAsync);
            }
            catch (Exception failure) when (failure is DbException or OperationCanceledException)
            {
                Errors.Add(failure);
            }

            // A reset that meets the next fault would begin another session.
            if (Read is not null)
            {
                await Patience.UntilAsync(
                    () => ValueTask.FromResult(Read()), now => now.Leased == 0 && now.Idle == now.Live, "the reset has ended");
            }
        }
    }
}
