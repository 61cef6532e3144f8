using Microsoft.Data.Sqlite;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Size;
using Poolhouse.Tool.Tests.Databases;

namespace Poolhouse.Tool.Tests.Sizing;

public sealed class Searches
{
    [Fact]
    public async Task An_interrupted_search_keeps_its_results_without_a_verdict()
    {
        using var file = new TemporarySqlite();
        using var database = Open(file);
        using var stop = new CancellationTokenSource();
        var search = new SizeSearch(database, "SELECT 1", 2, SizePlan.For(2, null, TimeSpan.FromSeconds(1)), TimeProvider.System);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => search.RunAsync(stop.Cancel, stop.Token));

        Assert.False(search.IsComplete);
        Assert.Equal(1, Assert.Single(search.Points).Size);
        var study = new SizeStudy("", search.Points);
        var result = new ScenarioResult(study, [study.MakeTrial()], PlannedTrials: 2);
        Assert.Equal(Outcome.Unknown, result.Verdict.Outcome);
        Assert.Single(Assert.Single(result.Tabulate()).Rows);
    }

    [Fact]
    public async Task A_search_ends_at_its_time_limit_however_long_a_turn_took()
    {
        using var file = new TemporarySqlite();
        using var database = Open(file);
        var clock = new TickingClock();
        var turns = 0;
        var search = new SizeSearch(database, "SELECT 1", 1, SizePlan.For(4, null, TimeSpan.FromSeconds(12)), clock);

        await search.RunAsync(
            () =>
            {
                turns++;
                clock.Advance(TimeSpan.FromSeconds(12));
            },
            TestContext.Current.CancellationToken);

        Assert.Equal(1, turns);
        Assert.False(search.IsComplete);
    }

    private static SqliteDatabase Open(TemporarySqlite file) =>
        SqliteDatabase.Of(new SqliteConnectionStringBuilder(file.ConnectionString), isReadOnly: true);

    /// <summary>Moves on by a millisecond whenever it is looked at.</summary>
    private sealed class TickingClock : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Add(ref _now, TimeSpan.TicksPerMillisecond);

        public void Advance(TimeSpan time) => Interlocked.Add(ref _now, time.Ticks);
    }
}
