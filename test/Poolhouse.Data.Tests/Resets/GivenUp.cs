using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>Promise I10: a reset that hangs frees its place; and its connection is for one at a time, closing included.</summary>
public sealed class GivenUp
{
    [Fact]
    public async Task A_connection_whose_reset_was_given_up_is_closed_when_that_has_ended()
    {
        using var db = new FakeDb();
        var time = new ManualTimeProvider();
        var reset = new HangingReset();
        var options = FakeDb.OneConnection(reset);
        options.Pool.TimeProvider = time;
        await using var source = PooledDataSource.Create(db, options);
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        await using (var command = connection.CreateCommand())
        {
            await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
        }

        await Patience.WithinAsync(reset.Began);
        time.Advance(options.Pool.ResetTimeout);
        await Patience.UntilAsync(() => new ValueTask<int>(source.GetStatistics().Destroying), destroying => destroying == 1, "the reset is given up");
        time.Advance(options.Pool.DestroyTimeout);
        await Patience.UntilAsync(() => new ValueTask<int>(source.GetStatistics().Live), live => live == 0, "the place is free");
        Assert.Equal(0, db.CountOf("connection.Close"));

        reset.End();
        await Patience.UntilAsync(() => new ValueTask<int>(db.CountOf("connection.Close")), closes => closes == 1, "the connection is closed");
    }

    private sealed class HangingReset : SessionReset
    {
        private readonly TaskCompletionSource _began = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Began => _began.Task;

        public void End() => _ended.SetResult();

        public override async ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken)
        {
            _began.SetResult();
            await _ended.Task;
            return true;
        }
    }
}
