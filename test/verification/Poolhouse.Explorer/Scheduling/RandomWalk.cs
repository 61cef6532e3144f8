namespace Poolhouse.Explorer.Scheduling;

/// <summary>Every actor that can continue has an equal chance at each step.</summary>
internal sealed class RandomWalk(int seed, int runs) : Strategy
{
    private Random _random = new(seed);
    private int _run;

    public override bool BeginRun()
    {
        _random = new Random(seed + _run);
        return _run++ < runs;
    }

    public override int Choose(IReadOnlyList<int> candidates, bool canStay) => _random.Next(candidates.Count);
}
