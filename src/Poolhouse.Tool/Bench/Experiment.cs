using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>A question that measuring operations answers: how it is measured, and how the answer is shown.</summary>
internal abstract class Experiment : Study
{
    /// <summary>What the parameters of a cell are called.</summary>
    public abstract IReadOnlyList<string> ParameterNames { get; }

    /// <summary>What one operation is, after "per".</summary>
    public virtual string OperationName => "rent and return";

    /// <summary>The cells, those of one thread count together.</summary>
    public abstract IReadOnlyList<Cell> Plan(BenchPlan plan);

    /// <summary>Small cells that run the same code, to bring it to its final tier.</summary>
    public abstract IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan);

    public abstract Verdict Judge(IReadOnlyList<Measurement> results);

    public abstract IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results);

    /// <summary>The tables that the console prints.</summary>
    public abstract IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results);

    /// <summary>A cell's conditions, to name it in a sentence.</summary>
    public virtual string Describe(Measurement measurement)
    {
        var parameters = ParameterNames.Zip(measurement.Parameters, (name, value) => $"{name} {Units.Count(value)}");
        string[] scenario = measurement.Scenario.Length == 0 ? [] : [measurement.Scenario];
        return string.Join(", ", [.. scenario, .. parameters, Units.Threads(measurement.Threads)]);
    }
}
