namespace Poolhouse.Explorer.Scheduling;

/// <summary>A thread of a scenario: it goes on only while it has the baton.</summary>
internal sealed class Actor(Scheduler scheduler, int number, string name, Action body, Baton baton)
{
    [ThreadStatic]
    private static Actor? _ofThread;

    private Func<bool>? _condition;
    private string _awaited = "";

    /// <summary>The actor on this thread; null while a scene is set or a check is made: then nothing is controlled.</summary>
    public static Actor? Current => _ofThread is { } actor && !actor.Scheduler.IsDeciding ? actor : null;

    public int Number { get; } = number;

    public bool HasLeft { get; private set; }

    public bool CanGoOn => !HasLeft && (_condition is null || _condition());

    private Scheduler Scheduler => scheduler;

    /// <summary>Something that other actors can see is about to happen: the place for them to come first.</summary>
    public static void Step(string operation, string where)
    {
        if (Current is { } actor)
        {
            actor.Scheduler.Note(actor, operation, where);
            actor.Scheduler.Switch(actor);
        }
    }

    /// <summary>Waits until a condition holds, which only other actors can bring about.</summary>
    public static void Until(Func<bool> condition, string what)
    {
        if (Current is { } actor)
        {
            actor.WaitUntil(condition, what);
        }
        else if (!condition())
        {
            throw new InvalidOperationException($"Nobody is there who could bring about the {what} that is waited for.");
        }
    }

    /// <summary>Lets somebody else go on, if anybody can.</summary>
    public static void Yield()
    {
        if (Current is { } actor)
        {
            actor.Scheduler.Note(actor, "yield", "");
            actor.Scheduler.Switch(actor, stays: false);
        }
    }

    public void WaitUntil(Func<bool> condition, string what)
    {
        Scheduler.Note(this, "wait for", what);
        _condition = condition;
        _awaited = what;
        Scheduler.Switch(this);
        _condition = null;
    }

    public void TakeBaton() => baton.Await();

    public void GiveBaton() => baton.Pass();

    /// <summary>Puts the body on its thread, where it waits for the baton.</summary>
    public void Enter() => baton.Begin(Play);

    public override string ToString() => name;

    public string Describe() => HasLeft ? $"{name} has left" : $"{name} waits for {_awaited}";

    private void Play()
    {
        _ofThread = this;
        Exception? failure = null;
        try
        {
            body();
        }
#pragma warning disable CA1031 // Whatever it is, it is what this schedule leads to.
        catch (Exception thrown)
#pragma warning restore CA1031
        {
            failure = thrown;
        }

        HasLeft = true;
        _ofThread = null;
        Scheduler.Leave(this, failure);
    }
}
