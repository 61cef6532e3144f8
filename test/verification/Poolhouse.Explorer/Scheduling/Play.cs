namespace Poolhouse.Explorer.Scheduling;

/// <summary>What a scenario is made of: actors, what happens at rest, and what must hold at the end.</summary>
internal sealed class Play(Scheduler scheduler)
{
    private readonly List<Action> _checks = [];

    /// <summary>Brings in an actor, now or in the middle of the play.</summary>
    public void Actor(string name, Action body) => scheduler.Add(name, body);

    /// <summary>
    /// Sets what happens when no actor can continue: it may add actors or advance time, and returns whether it did.
    /// </summary>
    public void AtRest(Func<bool> goesOn) => scheduler.AtRest = goesOn;

    /// <summary>Adds a check for the end of the run. It runs before the checks added earlier, which may consume state.</summary>
    public void AtEnd(Action check) => _checks.Insert(0, check);

    public void CheckEnd() => _checks.ForEach(check => check());
}
