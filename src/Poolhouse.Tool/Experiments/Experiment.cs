using Poolhouse.Tool.Measuring;

namespace Poolhouse.Tool.Experiments;

/// <summary>A question, how it is measured, and how its answer is shown.</summary>
internal abstract class Experiment
{
    /// <summary>Names its files and its place on the page.</summary>
    public abstract string Id { get; }

    /// <summary>What selects it on the command line.</summary>
    public abstract string Group { get; }

    public abstract string Title { get; }

    /// <summary>What it asks, in a sentence.</summary>
    public abstract string Question { get; }

    /// <summary>What exactly is done, so that a reader can judge the figures.</summary>
    public abstract string Method { get; }

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
