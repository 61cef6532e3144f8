using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>A scenario on a real database to which one rival after another is exposed.</summary>
internal abstract class ConsecutiveScenario(DatabaseKind kind) : DatabaseScenario(kind)
{
    /// <summary>The rivals, in the order of their trials.</summary>
    protected abstract IReadOnlyList<string> Contestants { get; }

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Contestants.Select(rival => new TrialPlan(
            rival, cancellation => RunAsync(rival, plan.Databases[Kind], pace, time, cancellation))),
    ];

    /// <summary>One trial; what it opened is closed when it ends.</summary>
    protected abstract Task<Trial> RunAsync(
        string rival, Database database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation);
}
