using System.Globalization;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>What the members of a budget cost the server while no caller waits.</summary>
internal sealed class FleetBeats : Scenario
{
    private const double LongestBeat = 0.002;
    private const double MostBeats = 50;
    private const string Time = "time of a beat";
    private const string Rate = "beats a second";

    private static readonly TimeSpan _join = TimeSpan.FromMilliseconds(50);

    public override string Id => "fleet-beats";

    public override string Group => Catalog.FleetGroup;

    public override string Title => "The cost of a budget at the server";

    public override string Question => "What do the instances that share a server cost it, by their number?";

    public override string Method =>
        "So many members of a budget, each with its session and a pool whose callers rest, all in this process. The "
        + "server logs the statements of their role, and the time that each took: a beat is two, which set the name of the "
        + "session and read the list.";

    public override DatabaseKind? Needs => DatabaseKind.PostgreSql;

    /// <summary>The log of another server cannot be read.</summary>
    public override bool StopsServer => true;

    public override string Promise => "with 100 members, a beat costs the server at most 2 ms, and there are at most 50 a second";

    public override string? Figure => Time;

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(Time, "Time of a beat", "The server's time for a beat, by the number of members.", "time")
        {
            XTitle = "members",
            IsLogarithmic = true,
            YLabel = static seconds => Units.Duration(seconds * 1e9),
        },
        new(Rate, "Beats a second", "The beats of all members a second, by their number.", "per second")
        {
            XTitle = "members",
            IsLogarithmic = true,
        },
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        new TrialPlan(RivalNames.Poolhouse, cancellation => RunAsync(
            (PostgresDatabase)plan.Databases[DatabaseKind.PostgreSql], pace, time, cancellation)),
    ];

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var (beat, rate) = (Of(trials, RivalNames.Poolhouse, Time), Of(trials, RivalNames.Poolhouse, Rate));
        return VerdictOf(
            beat <= LongestBeat && rate <= MostBeats,
            $"With the most members, a beat costs the server {Finding.TextOf(beat, Quantity.Seconds)}, and there are " +
            $"{Finding.TextOf(rate, Quantity.PerSecond)}.");
    }

    private static async Task<Trial> RunAsync(
        PostgresDatabase database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var points = new List<(int Members, double Time, double Rate)>();
        foreach (var members in pace == ScenarioPace.Tiny ? (int[])[3] : [10, 30, 100])
        {
            var (beat, rate) = await MeasureAsync(database, members, pace, time, cancellation).ConfigureAwait(false);
            points.Add((members, beat, rate));
        }

        return new Trial(
            RivalNames.Poolhouse,
            [
                new Curve(Time, [.. points.Select(static each => new CurvePoint(each.Members, each.Time))]),
                new Curve(Rate, [.. points.Select(static each => new CurvePoint(each.Members, each.Rate))]),
            ],
            [
                new Finding(Time, points[^1].Time, Quantity.Seconds, Expectation.Less),
                new Finding(Rate, points[^1].Rate, Quantity.PerSecond, Expectation.Less),
            ]);
    }

    private static async Task<(double Beat, double Rate)> MeasureAsync(
        PostgresDatabase database, int members, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var role = await FleetRole.CreateAsync(database, members + 10, cancellation).ConfigureAwait(false);
        await using var _ = role.ConfigureAwait(false);
        await role.LogStatementsAsync(cancellation).ConfigureAwait(false);
        var pools = new List<PooledDataSource>();
        try
        {
            for (var i = 0; i < members; i++)
            {
                var connection = role.StringFor($"p{i.ToString(CultureInfo.InvariantCulture)}");
                var options = new DbPoolOptions();
                options.Pool.MaxSize = 1;
                options.Pool.Budget = ServerBudget.Join(NpgsqlFactory.Instance, connection, FleetMember.BudgetName);
                pools.Add(PooledDataSource.Create(NpgsqlFactory.Instance, connection, options));
            }

            // All have opened their sessions, and have seen how many they are.
            var pause = TimeSpan.FromSeconds(pace == ScenarioPace.Full ? 5 : 2.5);
            await Task.Delay(pause + (members * _join), time, cancellation).ConfigureAwait(false);
            var (start, from) = (database.Server!.ReadLog().Length, time.GetTimestamp());
            await Task.Delay(pause, time, cancellation).ConfigureAwait(false);
            var seconds = time.GetElapsedTime(from).TotalSeconds;
            var (beats, took) = role.ReadStatements(start, "SET application_name");
            return (took / beats, beats / seconds);
        }
        finally
        {
            foreach (var pool in pools)
            {
                await pool.DisposeAsync().ConfigureAwait(false);
            }
        }
    }
}
