namespace Poolhouse.Explorer.Scheduling;

/// <summary>Each actor has a random priority, and the highest one runs; at a few random steps, its priority drops.</summary>
internal sealed class Priorities(int seed, int runs, int changes) : Strategy
{
    private readonly Dictionary<int, double> _ranks = [];
    private readonly HashSet<int> _changesAt = [];
    private Random _random = new(seed);
    private int _run;
    private int _choices;

    public override bool BeginRun()
    {
        // The length of the previous run is the estimate for this one.
        var length = Math.Max(_choices, 1);
        _random = new Random(seed + _run);
        _ranks.Clear();
        _changesAt.Clear();
        _choices = 0;
        for (var i = 0; i < changes; i++)
        {
            _changesAt.Add(_random.Next(length));
        }

        return _run++ < runs;
    }

    public override int Choose(IReadOnlyList<int> candidates, bool canStay)
    {
        var best = Highest(candidates);
        if (_changesAt.Contains(_choices++))
        {
            _ranks[candidates[best]] = -_choices;
            best = Highest(candidates);
        }

        return best;
    }

    private int Highest(IReadOnlyList<int> candidates)
    {
        var best = 0;
        for (var i = 1; i < candidates.Count; i++)
        {
            best = RankOf(candidates[i]) > RankOf(candidates[best]) ? i : best;
        }

        return best;
    }

    private double RankOf(int actor)
    {
        if (!_ranks.TryGetValue(actor, out var rank))
        {
            _ranks[actor] = rank = _random.NextDouble();
        }

        return rank;
    }
}
