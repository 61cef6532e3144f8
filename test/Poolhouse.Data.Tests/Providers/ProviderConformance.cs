using System.Data.Common;
using System.Globalization;
using System.Transactions;
using Dapper;
using Poolhouse.Data.Tests.Faults;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>
/// Promise I35: what a pool over a provider can do, except for the <see cref="DbProviderProfile.Limits"/> that its profile
/// declares.
/// </summary>
public abstract class ProviderConformance
{
    private const string Insert = "INSERT INTO cups VALUES ('mocha')";
    private const string Count = "SELECT COUNT(*) FROM cups";

    [Fact]
    public async Task It_opens_and_queries_and_reuses_the_session()
    {
        await using var subject = await StartAsync();
        await using var source = Create(subject);
        for (var i = 0; i < 4; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            Assert.Equal(0, await connection.ExecuteScalarAsync<int>(Count));
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_abandoned_transaction_is_rolled_back(bool byProvider)
    {
        await using var subject = await StartAsync();
        if (!byProvider && subject.Begin is null)
        {
            return;
        }

        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            if (byProvider)
            {
                var transaction = await connection.BeginTransactionAsync(Token);
                await using var command = connection.CreateCommand();
                (command.CommandText, command.Transaction) = (Insert, transaction);
                await command.ExecuteNonQueryAsync(Token);
            }
            else
            {
                await connection.ExecuteAsync(subject.Begin!);
                await connection.ExecuteAsync(Insert);
            }
        }

        await using (var next = await source.OpenConnectionAsync(Token))
        {
            Assert.Equal(0, await next.ExecuteScalarAsync<int>(Count));
            await next.ExecuteAsync(Insert);
        }

        // Another session sees what the next user did, and nothing else.
        await using var other = Create(subject);
        await using var reader = await other.OpenConnectionAsync(Token);
        Assert.Equal(1, await reader.ExecuteScalarAsync<int>(Count));
    }

    [Fact]
    public async Task Nothing_of_a_session_is_visible_to_the_next_user()
    {
        await using var subject = await StartAsync();
        if (subject.Profile.Limits.HasFlag(DbProviderLimits.SessionState))
        {
            return;
        }

        Assert.NotEmpty(subject.Leftovers);
        foreach (var (statement, query) in subject.Leftovers)
        {
            await using var source = Create(subject);
            var clean = await ReadAsync(source, query);
            await using (var connection = await source.OpenConnectionAsync(Token))
            {
                await connection.ExecuteAsync(statement);
                Assert.NotEqual(clean, await ReadAsync(connection, query));
            }

            Assert.Equal((statement, clean), (statement, await ReadAsync(source, query)));
        }
    }

    [Fact]
    public async Task A_setting_of_the_initialization_survives_every_lease()
    {
        await using var subject = await StartAsync();
        if (subject.Setting is not { } setting)
        {
            return;
        }

        await using var source = Create(subject, initialize: setting.Set);
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            Assert.Equal("2", await ReadAsync(connection, setting.Query));
            await connection.ExecuteAsync(setting.Spoil);
        }
    }

    [Fact]
    public async Task Sessions_that_were_ended_while_idle_cause_at_most_one_error_each()
    {
        await using var subject = await StartAsync();
        if (subject.KillAllAsync is not { } killAsync)
        {
            Assert.True(!EndsStatements || subject.Profile.Limits.HasFlag(DbProviderLimits.Server));
            return;
        }

        await using var source = Create(subject);
        await source.WarmUpAsync(2, Token);
        await killAsync();

        var errors = 0;
        for (var i = 0; i < 8; i++)
        {
            errors += await Record.ExceptionAsync(() => ReadAsync(source, Count)) is null ? 0 : 1;
        }

        Assert.InRange(errors, 0, 2);
        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_session_that_is_ended_in_use_fails_once()
    {
        await using var subject = await StartAsync();
        if (subject.KillAllAsync is not { } killAsync)
        {
            return;
        }

        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            Assert.Equal("0", await ReadAsync(connection, Count));
            await killAsync();
            Assert.NotNull(await Record.ExceptionAsync(() => connection.ExecuteAsync(Insert)));
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_restart_of_the_server_is_survived()
    {
        await using var subject = await StartAsync();
        if (subject.RestartAsync is not { } restartAsync)
        {
            return;
        }

        await using var source = Create(subject);
        Assert.Equal("0", await ReadAsync(source, Count));

        await restartAsync();

        await Patience.UntilAsync(
            async () => await Record.ExceptionAsync(() => ReadAsync(source, Count)), failure => failure is null,
            "a caller is served");
    }

    [Fact]
    public async Task A_statement_that_timed_out_leaves_nothing_behind()
    {
        await using var subject = await StartAsync();
        if (!EndsStatements || subject.Profile.Limits.HasFlag(DbProviderLimits.Timeouts))
        {
            return;
        }

        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await Assert.ThrowsAnyAsync<DbException>(() => connection.ExecuteAsync(subject.Sleep!, commandTimeout: 1));
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_statement_that_was_cancelled_leaves_nothing_behind()
    {
        await using var subject = await StartAsync();
        if (!EndsStatements || subject.Profile.Limits.HasFlag(DbProviderLimits.Cancellation))
        {
            return;
        }

        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await using var command = connection.CreateCommand();
#pragma warning disable CA2100 // A constant of the subject.
            command.CommandText = subject.Sleep;
#pragma warning restore CA2100
            var running = Task.Run(() => command.ExecuteNonQuery(), CancellationToken.None);
            while (!running.IsCompleted)
            {
                command.Cancel();
                await Patience.PauseAsync();
            }

            Assert.NotNull(await Record.ExceptionAsync(() => running));
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_scope_that_is_not_completed_is_rolled_back()
    {
        await using var subject = await StartAsync();
        await using var source = Create(subject);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            if (subject.Profile.Limits.HasFlag(DbProviderLimits.Scopes))
            {
                await Assert.ThrowsAnyAsync<NotSupportedException>(async () => await source.OpenConnectionAsync(Token));
                return;
            }

            await using var connection = await source.OpenConnectionAsync(Token);
            await connection.ExecuteAsync(Insert);
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task Many_callers_share_few_sessions()
    {
        await using var subject = await StartAsync();
        await using var source = Create(subject, size: 4);

        await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => Task.Run(() => ReadAsync(source, Count))));

        var statistics = source.GetStatistics();
        Assert.InRange(statistics.Created, 1, 4);
        Assert.Equal((0, 0), (statistics.Leased, statistics.Waiting));
    }

    /// <summary>A database with the table and no rows.</summary>
    internal abstract Task<Subject> ConnectAsync();

    /// <summary>Whether this database and driver can do what others of the same provider do.</summary>
    private protected virtual bool EndsStatements => true;

    private protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private protected static PooledDataSource Create(Subject subject, int size = 2, string? initialize = null)
    {
        var options = new DbPoolOptions { Pool = { MaxSize = size } };
        if (initialize is not null)
        {
            options.Initialize = async (connection, _) => await connection.ExecuteAsync(initialize);
        }

        return PooledDataSource.Create(subject.Factory, subject.ConnectionString, options);
    }

    private protected static async Task<string?> ReadAsync(DbConnection connection, string query) => Convert.ToString(
        await connection.ExecuteScalarAsync(query), CultureInfo.InvariantCulture);

    private protected static async Task<string?> ReadAsync(PooledDataSource source, string query)
    {
        await using var connection = await source.OpenConnectionAsync(Token);
        return await ReadAsync(connection, query);
    }

    private async Task<Subject> StartAsync()
    {
        var subject = await ConnectAsync();
        await using var connection = subject.Factory.CreateConnection()!;
        connection.ConnectionString = subject.ConnectionString;
        await connection.OpenAsync(Token);
        await connection.ExecuteAsync(subject.CreateTable);
        return subject;
    }
}
