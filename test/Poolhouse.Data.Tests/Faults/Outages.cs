using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>I33: connections cannot be opened, or the server has no room for another one.</summary>
public sealed class Outages : IDisposable
{
    private readonly FakeDb _db = new();

    /// <summary>From Npgsql's tests: the first open is killed with 57P01, or its initializer throws a plain exception.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_first_open_that_fails_is_reported_within_OutageTimeout_with_the_cause(bool isKilled)
    {
        Exception cause = isKilled ? new TransientException("57P01") : new FormatException("an initializer");
        var options = FakeDb.OneConnection();
        options.Pool.OutageTimeout = TimeSpan.FromMilliseconds(100);
        await using var source = PooledDataSource.Create(_db, options);
        _db.Failures["connection.Open"] = cause;

        var refused = await Assert.ThrowsAsync<DbPoolException>(
            async () => await source.OpenConnectionAsync(TestContext.Current.CancellationToken));

        Assert.Equal((cause, true), (refused.InnerException, refused.IsTransient));
        Assert.True(refused.OutageDuration >= TimeSpan.FromMilliseconds(100));
        Assert.NotNull(refused.RetryAfter);
        Assert.Equal(isKilled ? "57P01" : null, refused.SqlState);
    }

    [Theory]
    [InlineData("Npgsql", "53300", null)]
    [InlineData("MySqlConnector", "08004", 1040)]
    [InlineData("MySqlConnector", "42000", 1203)]
    [InlineData("MySqlConnector", "42000", 1226)]
    public async Task At_the_limit_of_the_server_callers_wait_for_a_returned_connection(
        string provider, string state, int? number)
    {
        var options = FakeDb.OneConnection();
        options.Profile = DbProviderProfile.All.Single(
            profile => string.Equals(profile.Name, provider, StringComparison.Ordinal));
        (options.Pool.MaxSize, options.Pool.OutageTimeout) = (2, TimeSpan.Zero);
        await using var source = PooledDataSource.Create(_db, options);
        var first = source.OpenConnection();
        var full = new FakeDbException(state);
        full.Data["Server Error Code"] = number;
        _db.Failures["connection.Open"] = full;

        var waiting = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        await Patience.UntilAsync(
            () => ValueTask.FromResult(source.GetStatistics()), static now => now.CreateFailures > 0, "a refusal by the server");
        Assert.Null(source.GetStatistics().Outage);
        Assert.False(waiting.IsCompleted);

        await first.DisposeAsync();
        await (await Patience.WithinAsync(waiting)).DisposeAsync();
    }

    public void Dispose() => _db.Dispose();

    private sealed class TransientException(string state) : DbException("Terminated.")
    {
        public override string? SqlState { get; } = state;

        public override bool IsTransient => true;
    }
}
