using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data;
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
        var clock = new TickingClock(TimeSpan.FromMilliseconds(1));
        var search = new SizeSearch(database, "SELECT 1", 2, SizePlan.For(2, null, TimeSpan.FromSeconds(1)), clock);

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
        var clock = new TickingClock(TimeSpan.FromMilliseconds(1));
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

    [Fact]
    public async Task Callers_of_a_slow_query_wait_for_a_connection_without_a_limit()
    {
        using var file = new TemporarySqlite();
        using var database = new RecordingDatabase(Open(file));
        var search = new SizeSearch(database, "SELECT 1", 1, SizePlan.For(1, null, TimeSpan.FromSeconds(1)), TimeProvider.System);

        await search.RunAsync(() => { }, TestContext.Current.CancellationToken);

        Assert.NotEmpty(database.Opened);
        Assert.All(database.Opened.ToList(), settings =>
        {
            // Sources connect when they are used, and these are not.
            using var server = PostgresDatabase.Of(new NpgsqlConnectionStringBuilder("Host=localhost;Timeout=5"));
            Assert.Equal(TimeSpan.Zero, RentTimeoutOf(server, settings));
            Assert.Equal(TimeSpan.Zero, RentTimeoutOf(database, settings));
        });
    }

    /// <summary>Zero for no limit, as in ADO.NET.</summary>
    private static TimeSpan RentTimeoutOf(Database database, SourceSettings settings)
    {
        using var source = database.Open(RivalNames.Poolhouse, settings);
        using var connection = source.CreateConnection();
        return TimeSpan.FromSeconds(connection.ConnectionTimeout);
    }

    private static SqliteDatabase Open(TemporarySqlite file) =>
        SqliteDatabase.Of(new SqliteConnectionStringBuilder(file.ConnectionString), isReadOnly: true);

    /// <summary>SQLite, recording the settings of each source.</summary>
    private sealed class RecordingDatabase(Database database) : Database
    {
        public List<SourceSettings> Opened { get; } = [];

        public override DatabaseKind Kind => database.Kind;

        public override string Name => database.Name;

        public override bool IsAsynchronous => database.IsAsynchronous;

        public override string BriefQuery => database.BriefQuery;

        public override string WorkingQuery => database.WorkingQuery;

        protected override SessionReset ResetLikeProvider => SessionReset.RollbackOnly;

        public override DbDataSource OpenWithoutPool(string tag) => database.OpenWithoutPool(tag);

        public override int? CountConnections(string tag) => database.CountConnections(tag);

        public override int? CountRoom() => database.CountRoom();

        public override void Dispose() => database.Dispose();

        protected override DbDataSource OpenProviderPool(SourceSettings settings) =>
            database.Open(RivalNames.ProviderPool, settings);

        protected override DbDataSource OpenPoolhouse(SourceSettings settings)
        {
            Opened.Add(settings);
            return database.Open(RivalNames.Poolhouse, settings);
        }
    }
}
