using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>Processes that together want more sessions than their role may have, while all goes wrong that can.</summary>
internal sealed class FleetFaults : Scenario
{
    private const double LeastFairness = 0.95;
    private const double MostShortage = 1;
    private const double MostRefused = 0.01;
    private const double MostRefusedPerSecond = 1;
    private const double LongestFirst = 1;
    private const double LongestShare = 3;
    private const double LongestReuse = 1.5;
    private const double StepOfCurve = 0.25;

    private const string Most = "Sessions, at most";
    private const string Refusals = "Callers that were refused";
    private const string Opened = "Opened";
    private const string Refused = "Opens that the server refused";
    private const string RefusedPerSecond = "Refused a second";
    private const string Fairness = "Fairness, at least";
    private const string Shortage = "Below the mean, at most";
    private const string First = "Newcomer served after";
    private const string Share = "Newcomer's share after";
    private const string Reuse = "Killed one's sessions used after";
    private const string Deaf = "Failed without the list";

    private static readonly (string Curve, int Colour)[] _lines =
        [("killed", 1), ("stopped", 2), ("cut off", 4), ("newcomer", 0), ("others, mean", 3)];

    public override string Id => "fleet-faults";

    public override string Group => Catalog.FleetGroup;

    public override string Title => "Eight processes, one role";

    public override string Question =>
        "If all instances together want more sessions than the server allows, what does each get, and what do callers see?";

    public override string Method =>
        "8 processes of 20 callers each, MaxSize 20, share a role of PostgreSQL with CONNECTION LIMIT 40; a use takes 50 "
        + "ms. One process is killed, one is started, one is stopped for 10 s. Then the network of one is cut for 10 s, of "
        + "another only for the session that reads the list. At last, the server is restarted, unless it is the user's. "
        + "Sessions are counted at the server, every 40 ms. Fairness is the index of R. Jain, 1 if all hold the same, from "
        + "3 s after each event on.";

    public override DatabaseKind? Needs => DatabaseKind.PostgreSql;

    protected override IReadOnlyList<Plot> Plots => [];

    public override string Promise =>
        "never more sessions than the role may have, no caller is refused, fairness of at least 0.95, at most 1 % of the opens " +
        "and one a second refused by the server, a newcomer is served within 1 s and has its share within 3 s, and a killed " +
        "process's sessions are used again within 1.5 s";

    public override string? Figure => Fairness;

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. ((string[])[RivalNames.Poolhouse, RivalNames.ProviderPool]).Select(rival => new TrialPlan(
            rival, cancellation => RunAsync(
                rival, (PostgresDatabase)plan.Databases[DatabaseKind.PostgreSql], FleetPlan.Of(pace), time, cancellation))),
    ];

    /// <summary>A chart for each pool.</summary>
    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Trial> trials)
    {
        var most = trials.SelectMany(static trial => trial.Curves).SelectMany(static curve => curve.Points).Max(point => point.Y);
        return [new("", [.. trials.Select(trial => ChartOf(trial, most))])];
    }

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var limit = FleetPlan.Of(ScenarioPace.Full).Places;
        var refused = ZeroIfUnknown(Refused);
        var problems = new List<string>();
        Check(Own(Most) <= limit, $"{Units.Count(Own(Most))} sessions at once");
        Check(Own(Refusals) == 0, $"{Units.Count(Own(Refusals))} callers refused");
        Check(Own(Deaf) == 0, $"{Units.Count(Own(Deaf))} callers failed without the list");
        Check(Own(Fairness) >= LeastFairness, $"fairness {Units.Digits(Own(Fairness))}");
        Check(Own(Shortage) <= MostShortage, $"{Units.Digits(Own(Shortage))} sessions below the mean");
        Check(
            refused <= Math.Max(1, MostRefused * ZeroIfUnknown(Opened))
                && ZeroIfUnknown(RefusedPerSecond) <= MostRefusedPerSecond,
            $"{Units.Count(refused)} of {Units.Count(ZeroIfUnknown(Opened))} opens refused");
        Check(Own(First) <= LongestFirst, $"newcomer served after {TextOf(First)}");
        Check(Own(Share) <= LongestShare, $"newcomer's share after {TextOf(Share)}");
        Check(Own(Reuse) <= LongestReuse, $"killed one's sessions used after {TextOf(Reuse)}");
        return VerdictOf(
            problems.Count == 0,
            (problems.Count == 0 ? "" : $"Not kept: {string.Join(", ", problems)}. ") +
            $"Fairness {Units.Digits(Own(Fairness))}, the provider's pool " +
            $"{Units.Digits(Of(trials, RivalNames.ProviderPool, Fairness))}; " +
            $"callers refused: {Units.Count(Own(Refusals))} and " +
            $"{Units.Count(Of(trials, RivalNames.ProviderPool, Refusals))}; newcomer served after {TextOf(First)} and " +
            $"{Finding.TextOf(Of(trials, RivalNames.ProviderPool, First), Quantity.Seconds)}.");

        double Own(string finding) => Of(trials, RivalNames.Poolhouse, finding);

        double ZeroIfUnknown(string finding) => Own(finding) is var value && double.IsNaN(value) ? 0 : value;

        string TextOf(string finding) => Finding.TextOf(Own(finding), Quantity.Seconds);

        void Check(bool holds, string problem)
        {
            if (!holds)
            {
                problems.Add(problem);
            }
        }
    }

    private static async Task<Trial> RunAsync(
        string rival, PostgresDatabase database, FleetPlan plan, TimeProvider time, CancellationToken cancellation)
    {
        var role = await FleetRole.CreateAsync(database, plan.Places, cancellation).ConfigureAwait(false);
        await using var _ = role.ConfigureAwait(false);
        var story = new FleetStory(rival, plan, database, role, time, cancellation);
        await using var __ = story.ConfigureAwait(false);
        var record = await story.RunAsync().ConfigureAwait(false);
        return new Trial(rival, CurvesOf(story, record), [.. FindingsOf(rival, story, record), .. OpensOf(role, record)])
        {
            Events = [.. record.Events.Skip(1).Select(static each => new Tick(each.At, each.Label))],
        };
    }

    private static IEnumerable<Finding> FindingsOf(string rival, FleetStory story, FleetRecord record)
    {
        var all = story.Processes;
        var (killed, newcomer) = (story[FleetStory.Killed], story[FleetStory.Newcomer]);
        var death = EventOf(record, FleetStory.KilledLabel);
        var before = record.Before(death.At);
        yield return new Finding(Most, record.Most, Quantity.Count, Expectation.Less);
        yield return new Finding(Refusals, all.Sum(static each => each.Refusals.Count), Quantity.Count, Expectation.Less);
        yield return new Finding(
            "Callers that failed", all.Sum(static each => each.Failures.Count), Quantity.Count, Expectation.Less);
        yield return new Finding("Callers served", all.Sum(static each => each.Served), Quantity.Count, Expectation.More);
        yield return new Finding(Fairness, record.Fairness, Quantity.Count, Expectation.More);
        yield return new Finding(Shortage, record.Shortage, Quantity.Count, Expectation.Less);
        yield return new Finding(
            Reuse, record.Until(death.At, death.Members, before.SumOf(death.Members) + before.HeldBy(killed.Name)),
            Quantity.Seconds, Expectation.Less);
        yield return new Finding(First, newcomer.FirstAt - newcomer.TryingAt, Quantity.Seconds, Expectation.Less);
        yield return new Finding(
            Share,
            record.Until(newcomer.TryingAt, [newcomer.Name], (int)record.ShareAfter(IndexOf(record, FleetStory.NewcomerLabel))),
            Quantity.Seconds, Expectation.Less);
        if (rival == RivalNames.Poolhouse)
        {
            var (from, to) = (EventOf(record, FleetStory.CutLabel).At, EventOf(record, FleetStory.HealedLabel).At);
            var deaf = story[story.Deaf];
            yield return new Finding(
                Deaf, deaf.Refusals.Concat(deaf.Failures).Count(at => at >= from && at <= to), Quantity.Count, Expectation.Less);
        }
    }

    private static IEnumerable<Finding> OpensOf(FleetRole role, FleetRecord record)
    {
        if (role.CountOpens() is var (opened, refused))
        {
            yield return new Finding(Opened, opened, Quantity.Count, Expectation.None);
            yield return new Finding(Refused, refused, Quantity.Count, Expectation.Less);
            yield return new Finding(RefusedPerSecond, refused / record.End, Quantity.PerSecond, Expectation.Less);
        }
    }

    private static List<Curve> CurvesOf(FleetStory story, FleetRecord record)
    {
        string[] named = [FleetStory.Killed, FleetStory.Stopped, story.CutOff, FleetStory.Newcomer];
        string[] others = [.. story.Processes.Select(static each => each.Name).Except(named)];
        string[][] groups = [.. named.Select(static name => (string[])[name]), others.Length == 0 ? [story.Deaf] : others];
        return
        [
            .. groups.Zip(_lines, (members, line) => new Curve(
                line.Curve,
                [
                    .. record.Samples.GroupBy(static sample => (int)(sample.At / StepOfCurve)).Select(step => new CurvePoint(
                        step.Key * StepOfCurve, step.Last().SumOf(members) / (double)members.Length)),
                ])),
        ];
    }

    private static FleetEvent EventOf(FleetRecord record, string label) => record.Events[IndexOf(record, label)];

    private static int IndexOf(FleetRecord record, string label) =>
        record.Events.Select(static each => each.Label).ToList().IndexOf(label);

    private LineChart ChartOf(Trial trial, double most)
    {
        var series = _lines.Where(line => trial.CurveOf(line.Curve) is { Points.Count: > 0 }).Select(line => new Series(
            line.Curve, line.Colour,
            [.. trial.CurveOf(line.Curve)!.Points.Select(static point => new Point(point.X, point.Y, Units.Digits(point.Y)))]))
            .ToList();
        return new LineChart
        {
            Id = $"{Id}-{(trial.Rival == RivalNames.Poolhouse ? "poolhouse" : "provider")}",
            Title = $"{trial.Rival}: sessions of each process",
            Description = $"The sessions that the pools of the processes hold, over time, with {trial.Rival}.",
            Series = series,
            X = Axis.Exact("seconds", series.SelectMany(static each => each.Points).Max(static point => point.X), Units.Digits),
            Y = Axis.Linear("sessions", most, Units.Digits),
            RowTitle = "seconds",
            RowLabel = Units.Digits,
            MarkEvery = Math.Max(1, series.Max(static each => each.Points.Count) / 6),
            Events = trial.Events ?? [],
        };
    }
}
