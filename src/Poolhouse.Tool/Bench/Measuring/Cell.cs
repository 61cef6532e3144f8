namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>One cell of an experiment's table: the rivals are measured in turn under the same conditions.</summary>
/// <param name="Scenario">What is done, where an experiment has several; otherwise empty.</param>
/// <param name="Threads">How many threads work at once.</param>
/// <param name="Parameters">The other conditions, in the order of the experiment's parameter names.</param>
/// <param name="Contenders">The rivals.</param>
internal sealed record Cell(string Scenario, int Threads, IReadOnlyList<long> Parameters, IReadOnlyList<Contender> Contenders)
{
    /// <summary>The number of rounds, however long they are; null for the default of the pace.</summary>
    public int? Rounds { get; init; }
}
