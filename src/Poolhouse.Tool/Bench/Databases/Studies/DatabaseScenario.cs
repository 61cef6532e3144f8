using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>A scenario on a real database.</summary>
internal abstract class DatabaseScenario(DatabaseKind kind) : Scenario
{
    private static int _tags;

    public override string Group => Catalog.DatabaseGroup;

    public override DatabaseKind? Needs => kind;

    protected DatabaseKind Kind => kind;

    /// <summary>The rivals, in the order of their trials.</summary>
    protected abstract IReadOnlyList<string> Contestants { get; }

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Contestants.Select(rival => new TrialPlan(
            rival, cancellation => RunAsync(rival, plan.Databases[kind], pace, time, cancellation))),
    ];

    /// <summary>One trial; what it opened is closed when it ends.</summary>
    protected abstract Task<Trial> RunAsync(
        string rival, Database database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation);

    /// <summary>A name for the connections of one trial, unlike those of any other.</summary>
    protected static string NewTag(string what) => $"poolhouse {what} {Units.Count(Interlocked.Increment(ref _tags))}";
}
