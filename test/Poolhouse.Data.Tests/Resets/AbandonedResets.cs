using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>
/// Promise I10: a reset that hangs releases its capacity; and its connection is used by one call at a time, including the close.
/// </summary>
public sealed class AbandonedResets
{
    [Fact]
    public async Task A_connection_whose_reset_was_abandoned_is_closed_when_the_reset_ends()
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

        try
        {
            // Time advances in small steps: the pool's threads set their deadlines when they get to it.
            await Patience.WithinAsync(reset.Began);
            await Patience.UntilAsync(
                () => new ValueTask<int>(Pass(time, source).Destroying), destroying => destroying == 1, "the reset is abandoned");
            await Patience.UntilAsync(
                () => new ValueTask<int>(Pass(time, source).Live), live => live == 0, "the capacity is released");
            Assert.Equal(0, db.CountOf("connection.Close"));
        }
        finally
        {
            reset.End();
        }

        await Patience.UntilAsync(
            () => new ValueTask<int>(db.CountOf("connection.Close")), closes => closes == 1, "the connection is closed");
    }

    private static ResourcePoolStatistics Pass(ManualTimeProvider time, PooledDataSource source)
    {
        time.Advance(TimeSpan.FromMilliseconds(100));
        return source.GetStatistics();
    }

    private sealed class HangingReset : SessionReset
    {
        private readonly TaskCompletionSource _began = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Began => _began.Task;

        public void End() => _ended.SetResult();

        public override async ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken)
        {
            _began.SetResult();
            await _ended.Task;
            return true;
        }
    }
}
