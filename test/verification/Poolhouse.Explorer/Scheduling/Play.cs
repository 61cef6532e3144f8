namespace Poolhouse.Explorer.Scheduling;

/// <summary>What a scenario is made of: actors, what happens at rest, and what must hold at the end.</summary>
internal sealed class Play(Scheduler scheduler)
{
    private readonly List<Action> _checks = [];

    /// <summary>Brings in an actor, now or in the middle of the play.</summary>
    public void Actor(string name, Action body) => scheduler.Add(name, body);

    /// <summary>Sets what happens when nobody can go on: it may bring in actors or let time pass, and says if it did.</summary>
    public void AtRest(Func<bool> goesOn) => scheduler.AtRest = goesOn;

    /// <summary>Adds a check for when everybody has left: before those added earlier, which may use things up.</summary>
    public void AtEnd(Action check) => _checks.Insert(0, check);

    public void CheckEnd() => _checks.ForEach(check => check());
}
