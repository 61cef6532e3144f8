namespace Poolhouse.Explorer.Scheduling;

/// <summary>One run of a scenario: its actors, the reaction when all are blocked, and the checks at the end.</summary>
internal sealed class ScenarioRun(Scheduler scheduler)
{
    private readonly List<Action> _checks = [];

    /// <summary>Adds an actor, before or during the run.</summary>
    public void Actor(string name, Action body) => scheduler.Add(name, body);

    /// <summary>
    /// Sets what happens when no actor can continue: it may add actors or advance time, and returns whether it did.
    /// </summary>
    public void WhenBlocked(Func<bool> proceeds) => scheduler.WhenBlocked = proceeds;

    /// <summary>Adds a check for the end of the run. It runs before the checks added earlier, which may consume state.</summary>
    public void AtEnd(Action check) => _checks.Insert(0, check);

    public void CheckEnd() => _checks.ForEach(check => check());
}
