using System.Data.Common;
using System.Globalization;
using System.Transactions;
using Dapper;
using Poolhouse.Data.Tests.Faults;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>
/// Promise I35: what a pool over a provider can do, and that the <see cref="DbProviderProfile.Limits"/> of its profile are real.
/// </summary>
public abstract class ProviderConformance
{
    private protected const string Insert = "INSERT INTO cups VALUES ('mocha')";
    private protected const string Count = "SELECT COUNT(*) FROM cups";

    [Fact]
    public async Task It_opens_and_queries_and_reuses_the_session()
    {
        var subject = await StartAsync();
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
        var subject = await StartAsync();
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
            else if (subject.RefusesBegin)
            {
                Assert.NotNull(await Record.ExceptionAsync(() => connection.ExecuteAsync(subject.Begin)));
            }
            else
            {
                await connection.ExecuteAsync(subject.Begin);
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
    public async Task Session_state_reaches_the_next_user_only_if_that_is_declared()
    {
        var subject = await StartAsync();
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

            var isClean = string.Equals(clean, await ReadAsync(source, query), StringComparison.Ordinal);
            Assert.Equal((statement, !KeepsSessions(subject)), (statement, isClean));
        }
    }

    [Fact]
    public async Task A_setting_of_the_initialization_survives_every_lease_after_which_the_session_is_reset()
    {
        var subject = await StartAsync();
        await using var source = Create(subject, initialize: subject.Setting.Set);
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            var isSet = await ReadAsync(connection, subject.Setting.Query) is "2";
            Assert.Equal((i, i == 0 || !KeepsSessions(subject)), (i, isSet));
            await connection.ExecuteAsync(subject.Setting.Spoil);
        }
    }

    [Fact]
    public async Task A_scope_that_is_not_completed_is_rolled_back_or_refused_as_declared()
    {
        var subject = await StartAsync();
        await using var source = Create(subject);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var refusal = await Record.ExceptionAsync(async () =>
            {
                await using var connection = await source.OpenConnectionAsync(Token);
                await connection.ExecuteAsync(Insert);
            });
            var isDeclared = subject.Profile.Limits.HasFlag(DbProviderLimits.Scopes);
            Assert.Equal(isDeclared ? typeof(NotSupportedException) : null, refusal?.GetType());
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task Many_callers_share_few_sessions()
    {
        var subject = await StartAsync();
        await using var source = Create(subject, size: 4);

        await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => Task.Run(() => ReadAsync(source, Count))));

        var statistics = source.GetStatistics();
        Assert.InRange(statistics.Created, 1, 4);
        Assert.Equal((0, 0), (statistics.Leased, statistics.Waiting));
    }

    /// <summary>An empty database.</summary>
    internal abstract Task<Subject> ConnectAsync();

    private protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private protected static PooledDataSource Create(Subject subject, int size = 2, string? initialize = null)
    {
        var options = new DbPoolOptions { Pool = { MaxSize = size }, Profile = subject.OwnProfile };
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

    /// <summary>Cancels a statement while it is running.</summary>
    /// <returns>The failure of the statement; null if it ended as if it had not been cancelled.</returns>
    private protected static async Task<Exception?> CancelAsync(
        DbConnection connection, string statement, Func<Task<bool>> isRunningAsync, int commandTimeout = 60)
    {
        await using var command = connection.CreateCommand();
        command.CommandTimeout = commandTimeout;
        command.CommandText = statement;
        var ended = Task.Run(() => command.ExecuteNonQuery(), CancellationToken.None);
        await Patience.UntilAsync(
            async () => ended.IsCompleted || await isRunningAsync(), seen => seen, "the statement is running");
        Assert.False(ended.IsCompleted);
        command.Cancel();
        return await Record.ExceptionAsync(() => Patience.WithinAsync(ended));
    }

    private protected static async Task<Subject> CreateTableAsync(Subject subject)
    {
        await using var connection = subject.Factory.CreateConnection()!;
        connection.ConnectionString = subject.ConnectionString;
        await connection.OpenAsync(Token);
        await connection.ExecuteAsync("CREATE TABLE cups (name VARCHAR(20))");
        return subject;
    }

    private protected async Task<Subject> StartAsync() => await CreateTableAsync(await ConnectAsync());

    private static bool KeepsSessions(Subject subject) => subject.Profile.Limits.HasFlag(DbProviderLimits.SessionState);
}
