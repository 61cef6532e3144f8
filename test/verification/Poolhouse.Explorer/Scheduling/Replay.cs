namespace Poolhouse.Explorer.Scheduling;

/// <summary>One known schedule, once.</summary>
internal sealed class Replay(Schedule schedule) : Strategy
{
    private int _next;
    private bool _begun;

    public override bool BeginRun() => !_begun && (_begun = true);

    public override int Choose(IReadOnlyList<int> candidates, bool canStay)
    {
        // Beyond its end no actor is preempted.
        var actor = _next < schedule.Actors.Count ? schedule.Actors[_next++] : candidates[0];
        for (var i = 0; i < candidates.Count; i++)
        {
            if (candidates[i] == actor)
            {
                return i;
            }
        }

        throw new InvalidOperationException($"The schedule does not fit: at its step {_next}, actor {actor} cannot continue.");
    }
}
