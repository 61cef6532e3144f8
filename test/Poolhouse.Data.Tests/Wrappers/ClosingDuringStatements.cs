using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// A connection that is closed under a statement: wait, cancel, wait again, close; its capacity is released with the close or at
/// DestroyTimeout.
/// </summary>
public sealed class ClosingDuringStatements
{
    private static readonly TimeSpan _step = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a close waits for the statement before it cancels it.</summary>
    private static readonly TimeSpan _firstPause = TimeSpan.FromMilliseconds(500);

    private readonly FakeDb _db = new();
    private readonly ManualTimeProvider _time = new();
    private readonly DbPoolOptions _options = FakeDb.OneConnection();

    public ClosingDuringStatements() => _options.Pool.TimeProvider = _time;

    [Fact]
    public async Task A_statement_that_ends_by_itself_is_not_cancelled()
    {
        await using var source = PooledDataSource.Create(_db, _options);
        using var statement = await LeaveStatementAsync(source);
        await UntilPausingAsync();

        _time.Advance(_firstPause - _step);
        await EndAsync(statement);
        await UntilLiveAsync(source, 0);

        Assert.Equal(1, _db.CountOf("connection.Close"));
        Assert.Equal((0, 0L), (_db.CountOf("command.Cancel"), source.GetStatistics().DestroyFailures));
    }

    [Fact]
    public async Task A_running_statement_is_cancelled_and_the_connection_closed_when_it_ends()
    {
        await using var source = PooledDataSource.Create(_db, _options);
        using var statement = await LeaveStatementAsync(source);
        await UntilPausingAsync();

        _time.Advance(_firstPause);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(_db.CountOf("command.Cancel")), cancels => cancels == 1, "the statement is cancelled");
        Assert.Equal((0, 1), (_db.CountOf("connection.Close"), source.GetStatistics().Live));
        await EndAsync(statement);
        await UntilLiveAsync(source, 0);

        Assert.Equal((1, 0L), (_db.CountOf("connection.Close"), source.GetStatistics().DestroyFailures));
    }

    [Fact]
    public async Task A_statement_that_ignores_cancellation_holds_capacity_only_until_DestroyTimeout()
    {
        await using var source = PooledDataSource.Create(_db, _options);
        using var statement = await LeaveStatementAsync(source);

        await UntilAsync(source, () => source.GetStatistics() is { Live: 0, DestroyFailures: > 0 });
        Assert.Equal((0, 1L), (_db.CountOf("connection.Close"), source.GetStatistics().DestroyFailures));
        await UntilAsync(source, () => _db.CountOf("command.Cancel") >= 4);

        // As many as MaxSize may be left behind. It is closed as soon as it can be, and others are opened again.
        var opening = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        await UntilAsync(source, () => source.GetStatistics().CreateFailures > 0);
        Assert.Single(_db.Connections);
        await EndAsync(statement);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(_db.CountOf("connection.Close")), closes => closes == 1, "the connection is closed");
        await UntilAsync(source, () => opening.IsCompleted);
        await using var next = await opening;
        Assert.Equal((1, 2), (_db.CountOf("connection.Close"), _db.Connections.Count));
    }

    [Fact]
    public async Task A_connection_that_the_provider_refuses_to_close_is_closed_later()
    {
        _db.Failures["connection.Close"] = new InvalidOperationException("busy");
        await using var source = PooledDataSource.Create(_db, _options);
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await connection.CreateCommand().ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
        }

        source.Clear();
        await UntilAsync(source, () => source.GetStatistics() is { Live: 0, DestroyFailures: 1 });
        _db.Failures.Clear();
        await UntilAsync(source, () => _db.Connections[0].State == System.Data.ConnectionState.Closed);
    }

    private async Task<Statement> LeaveStatementAsync(PooledDataSource source)
    {
        var statement = new Statement();
        _db.Before["command.NonQuery"] = statement.Run;
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        var command = connection.CreateCommand();
        statement.Running = Task.Factory.StartNew(
            command.ExecuteNonQuery, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Patience.WithinAsync(statement.Began);
        return statement;
    }

    // The timers are that of the pool, for DestroyTimeout, and that of the pause.
    private Task UntilPausingAsync() =>
        Patience.WithinAsync(_time.WaitUntilArmedAsync(2, TestContext.Current.CancellationToken));

    // The thread of the statement must have left it before time advances, or the close would still wait for it.
    private static Task EndAsync(Statement statement)
    {
        statement.End();
        return Patience.WithinAsync(statement.Running);
    }

    private static Task UntilLiveAsync(PooledDataSource source, int expected) => Patience.UntilAsync(
        () => ValueTask.FromResult(source.GetStatistics().Live), live => live == expected, "the capacity is released");

    // Time advances in small steps: the pool's threads set their deadlines when they get to it.
    private Task UntilAsync(PooledDataSource source, Func<bool> isReached) => Patience.UntilAsync(
        () =>
        {
            _time.Advance(_step);
            return new ValueTask<ResourcePoolStatistics>(source.GetStatistics());
        },
        _ => isReached(),
        "the pool has come so far");

    /// <summary>A statement that runs until the test ends it.</summary>
    private sealed class Statement : IDisposable
    {
        private readonly TaskCompletionSource _began = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _end = new();

        public Task Began => _began.Task;

        public Task Running { get; set; } = Task.CompletedTask;

        public void Run()
        {
            _began.TrySetResult();
            _end.Wait();
        }

        public void End() => _end.Set();

        public void Dispose()
        {
            End();
            Running.Wait();
            _end.Dispose();
        }
    }
}
