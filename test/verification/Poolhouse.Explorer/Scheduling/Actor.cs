namespace Poolhouse.Explorer.Scheduling;

/// <summary>A thread of a scenario: it goes on only while it has the baton.</summary>
internal sealed class Actor(Scheduler scheduler, int number, string name, Action body)
{
    [ThreadStatic]
    private static Actor? _ofThread;

    private Func<bool>? _condition;
    private string _awaited = "";

    /// <summary>The actor on this thread; null while a scene is set or a check is made: then nothing is controlled.</summary>
    public static Actor? Current => _ofThread is { } actor && !actor.Scheduler.IsDeciding ? actor : null;

    public int Number { get; } = number;

    /// <summary>The thread it is played on, once it has come on.</summary>
    public Stagehand? Thread { get; private set; }

    public bool HasLeft { get; private set; }

    /// <summary>Whether its next wait that cannot go on at once ends with an exception.</summary>
    public bool IsInterrupted { get; private set; }

    public bool CanGoOn => !HasLeft && (_condition is null || _condition());

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

    /// <summary>The same, for a wait that an interrupt ends.</summary>
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

    /// <summary>Lets another actor continue, if one can.</summary>
    public static void Yield()
    {
        if (Current is { } actor)
        {
            actor.Scheduler.Note(actor, "yield", "");
            actor.Scheduler.Switch(actor, stays: false);
        }
    }

    /// <summary>What <see cref="System.Threading.Thread.Interrupt"/> does, at any step of the actor.</summary>
    public void Interrupt() => IsInterrupted = true;

    /// <summary>Forgets an interrupt that has come by now.</summary>
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

    /// <summary>Plays the part on this thread, from its beginning to its end.</summary>
    /// <returns>What it ended with, or null.</returns>
    public Exception? Play(Stagehand thread)
    {
        Thread = thread;
        _ofThread = this;
        try
        {
            body();
            return null;
        }
#pragma warning disable CA1031 // Whatever it is, it is what this schedule leads to.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            return failure;
        }
        finally
        {
            _ofThread = null;
            HasLeft = true;
        }
    }

    public override string ToString() => name;

    public string Describe() => HasLeft ? $"{name} has left"
        : _condition is null ? $"{name} can go on"
        : $"{name} waits for {_awaited}";
}
