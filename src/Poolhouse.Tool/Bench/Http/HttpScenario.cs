using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Http;

/// <summary>A scenario of clients that call a service over HTTP.</summary>
internal abstract class HttpScenario : Scenario
{
    protected const int Steps = 60;

    public override string Group => Catalog.HttpGroup;

    /// <summary>The rivals, in the order of their trials.</summary>
    protected abstract IReadOnlyList<string> Contestants { get; }

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Contestants.Select(rival => new TrialPlan(rival, async cancellation =>
        {
            // The code of both sides is compiled before anything counts.
            await RunAsync(rival, ScenarioPace.Tiny, time, cancellation).ConfigureAwait(false);
            return await RunAsync(rival, pace, time, cancellation).ConfigureAwait(false);
        })),
    ];

    protected abstract Task<Trial> RunAsync(string rival, ScenarioPace pace, TimeProvider time, CancellationToken cancellation);

    /// <summary>The given quantile of the entries.</summary>
    protected static double Percentile(IEnumerable<Entry> entries, double share)
    {
        double[] values = [.. entries.Select(entry => entry.Value).Order()];
        return values.Length == 0 ? double.PositiveInfinity : values[(int)Math.Min(values.Length - 1, share * values.Length)];
    }

    /// <summary>The 99th percentile of what was done in each step; steps in which nothing was done are left out.</summary>
    protected static IReadOnlyList<CurvePoint> SlowOnes(Journal journal, double end, int steps) =>
    [
        .. Enumerable.Range(0, steps)
            .Select(step => (
                Middle: (step + 0.5) * end / steps,
                Done: journal.Of(TrialEvent.Done, step * end / steps, (step + 1) * end / steps)))
            .Where(each => each.Done.Count > 0)
            .Select(each => new CurvePoint(each.Middle, Percentile(each.Done, 0.99))),
    ];
}
