namespace Poolhouse.Explorer.Scheduling;

/// <summary>Every schedule with at most so many preemptions, in depth-first order.</summary>
internal sealed class Exhaustive(int preemptions) : Strategy
{
    private readonly List<Branch> _path = [];
    private int _depth;
    private int _spent;
    private bool _begun;

    public override bool BeginRun()
    {
        _depth = 0;
        _spent = 0;
        if (!_begun)
        {
            _begun = true;
            return true;
        }

        // The last choice that has an untried alternative is changed; all later choices are dropped.
        for (var last = _path.Count - 1; last >= 0; last--)
        {
            var branch = _path[last];
            if (branch.Chosen + 1 < branch.Count && (!branch.CanStay || branch.SpentBefore < preemptions))
            {
                _path[last] = branch with { Chosen = branch.Chosen + 1 };
                return true;
            }

            _path.RemoveAt(last);
        }

        return false;
    }

    public override int Choose(IReadOnlyList<int> candidates, bool canStay)
    {
        if (_depth == _path.Count)
        {
            _path.Add(new Branch(candidates.Count, canStay, _spent, Chosen: 0));
        }

        var branch = _path[_depth];
        if (branch.Count != candidates.Count || branch.CanStay != canStay)
        {
            throw new InvalidOperationException("The same schedule led to other choices: the scenario is not deterministic.");
        }

        _depth++;
        _spent += canStay && branch.Chosen > 0 ? 1 : 0;
        return branch.Chosen;
    }

    private readonly record struct Branch(int Count, bool CanStay, int SpentBefore, int Chosen);
}
