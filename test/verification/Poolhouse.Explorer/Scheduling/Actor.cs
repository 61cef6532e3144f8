namespace Poolhouse.Explorer.Scheduling;

/// <summary>A thread of a scenario. It runs only while it has the baton.</summary>
internal sealed class Actor(Scheduler scheduler, int number, string name, Action body)
{
    [ThreadStatic]
    private static Actor? _ofThread;

    private Func<bool>? _condition;
    private string _awaited = "";

    /// <summary>The actor on this thread; null during the setup and during checks, when no step is scheduled.</summary>
    public static Actor? Current => _ofThread is { } actor && !actor.Scheduler.IsDeciding ? actor : null;

    public int Number { get; } = number;

    /// <summary>The thread on which the actor runs, once it has started.</summary>
    public ActorThread? Thread { get; private set; }

    public bool HasEnded { get; private set; }

    /// <summary>Whether its next wait that cannot end at once ends with an exception.</summary>
    public bool IsInterrupted { get; private set; }

    public bool CanContinue => !HasEnded && (_condition is null || _condition());

    /// <summary>The actors that continue before this one does, because it spins until one of them has done something.</summary>
    public HashSet<Actor> GivesWayTo { get; } = [];

    private Scheduler Scheduler => scheduler;

    /// <summary>A step that other actors can see is about to happen: the scheduler may run another actor first.</summary>
    public static void Step(string operation, string where)
    {
        if (Current is { } actor)
        {
            actor.Scheduler.Note(actor, operation, where);
            actor.Scheduler.Switch(actor);
        }
    }

    /// <summary>Waits for a condition that only other actors can establish.</summary>
    public static void Until(Func<bool> condition, string what)
    {
        if (Current is { } actor)
        {
            actor.WaitUntil(condition, what);
        }
        else if (!condition())
        {
            throw new InvalidOperationException($"No actor can establish what is waited for: {what}.");
        }
    }

    /// <summary>Like <see cref="Until"/>, but an interrupt ends the wait.</summary>
    public static void UntilInterrupted(Func<bool> condition, string what)
    {
        if (Current is { } actor)
        {
            actor.WaitUntil(() => condition() || actor.IsInterrupted, what);
            if (!condition())
            {
                actor.EndByInterrupt();
            }
        }
        else
        {
            Until(condition, what);
        }
    }

    /// <summary>Lets every other actor that can continue do so first.</summary>
    public static void Yield()
    {
        if (Current is { } actor)
        {
            actor.Scheduler.Note(actor, "yield", "");
            actor.Scheduler.Switch(actor, stays: false);
        }
    }

    /// <summary>Interrupts the actor at any step, like <see cref="System.Threading.Thread.Interrupt"/>.</summary>
    public void Interrupt() => IsInterrupted = true;

    /// <summary>Discards a pending interrupt.</summary>
    public void DiscardInterrupt() => IsInterrupted = false;

    /// <summary>The end of a wait that was interrupted.</summary>
    public void EndByInterrupt()
    {
        IsInterrupted = false;
        throw new ThreadInterruptedException();
    }

    public void WaitUntil(Func<bool> condition, string what)
    {
        Scheduler.Note(this, "wait for", what);
        _condition = condition;
        _awaited = what;
        Scheduler.Switch(this);
        _condition = null;
    }

    /// <summary>Runs the body of the actor on this thread.</summary>
    /// <returns>The exception that it threw, or null.</returns>
    public Exception? Run(ActorThread thread)
    {
        Thread = thread;
        _ofThread = this;
        try
        {
            body();
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
        finally
        {
            _ofThread = null;
            HasEnded = true;
        }
    }

    public override string ToString() => name;

    public string Describe() => HasEnded ? $"{name} has ended"
        : _condition is null ? $"{name} can continue"
        : $"{name} waits for {_awaited}";
}
