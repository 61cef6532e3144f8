namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A question about behaviour: a pool and its rivals are exposed to the same events, one after another, in real time;
/// the verdict is whether Poolhouse kept its promise.</summary>
internal abstract class Scenario : TrialStudy
{
    public override string Group => "resources";

    /// <summary>The trials, in the order in which they are made.</summary>
    public abstract IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time);
}
