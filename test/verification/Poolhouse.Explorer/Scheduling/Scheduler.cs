using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Explorer.Scheduling;

/// <summary>One run of a scenario: real threads, of which exactly one runs at a time, chosen by the scheduler.</summary>
// How the pool's races are explored
//   The library is compiled a second time into this project, with Interlocked, Volatile, Lock, Monitor and a few others
//   replaced by those in Shims (see the project file). Each of them notifies the scheduler before a step that other threads can
//   see. Only at these steps does the order of threads matter, and only there can another thread continue. A run is therefore
//   described completely by the thread that continued at each step where several could: the schedule. The same schedule repeats
//   the same run.
// Strategies
//   Exhaustive tries every schedule up to a number of preemptions (Musuvathi and Qadeer, Iterative Context Bounding, PLDI 2007:
//   most bugs need one or two); RandomWalk and Priorities (Burckhardt et al., A Randomized Scheduler with Probabilistic
//   Guarantees of Finding Bugs, ASPLOS 2010) are for scenarios with too many schedules; Replay repeats one.
// Failures
//   an exception from an actor's body, a check that throws, a deadlock (no actor can continue, and AtRest adds nothing), a
//   livelock (too many steps). After a failure, no actor continues: an exception in its code would run handlers, which may do
//   anything. The search continues without these threads, and repeats the schedule with a trace.
// Not detected
//   weak memory: every run is sequentially consistent, so missing fences are not detected (test/verification/Poolhouse.Model
//   checks one of them). Races of plain fields between two steps: such fields are written only under a gate or by their holder.
internal sealed class Scheduler(Strategy strategy, IdleThreads idleThreads, Action onFailure, bool traces)
{
    // Far more steps than any scenario needs: a run that reaches it is in a livelock.
    private const int MostSteps = 20_000;

    private readonly List<Actor> _actors = [];
    private readonly List<int> _candidates = [];
    private readonly List<int> _schedule = [];
    private readonly List<string> _trace = [];
    private readonly SemaphoreSlim _over = new(0);

    /// <summary>Whether the scheduler evaluates a condition or a check, which is not part of the run.</summary>
    public bool IsDeciding { get; private set; }

    public Exception? Failure { get; private set; }

    public int Steps { get; private set; }

    /// <summary>Called when no actor can continue: it may add actors or advance time, and returns whether it did.</summary>
    public Func<bool> WhenBlocked { get; set; } = static () => false;

    public Schedule Schedule => new(_schedule);

    public IReadOnlyList<string> Trace => _trace;

    /// <summary>Adds an actor, which can continue from now on.</summary>
    public void Add(string name, Action body) => _actors.Add(new Actor(this, _actors.Count, name, body));

    /// <summary>Runs until all actors have ended, beginning on this thread. After a failure it does not return.</summary>
    public void Run(ActorThread thread)
    {
        if (TryChoose(out var first))
        {
            RunActors(first, thread, isIdleAfterwards: false);
        }
        else
        {
            End();
        }

        _over.Wait();
    }

    /// <summary>Called by the actor that has the baton before a visible step.</summary>
    public void Switch(Actor from, bool stays = true)
    {
        if (++Steps > MostSteps)
        {
            Fail(new InvalidOperationException($"A livelock: no end after {MostSteps} steps. {Describe()}"));
        }
        else if (!TryChoose(out var next, from, stays))
        {
            End();
        }
        else if (next != from)
        {
            GiveBaton(next);
        }
        else
        {
            return;
        }

        from.Thread!.AwaitBaton();
    }

    public void Note(Actor actor, string operation, string where)
    {
        if (traces)
        {
            _trace.Add(TraceLine.Of(actor, operation, where));
        }
    }

    private void GiveBaton(Actor actor)
    {
        if (actor.Thread is { } thread)
        {
            thread.PassBaton();
        }
        else
        {
            idleThreads.Take().Begin(thread => RunActors(actor, thread, isIdleAfterwards: true));
        }
    }

    /// <summary>Runs an actor, and on the same thread the actors after it, because switching threads is expensive.</summary>
    private void RunActors(Actor actor, ActorThread thread, bool isIdleAfterwards)
    {
        Actor? next;
        for (; ; actor = next)
        {
            var failure = actor.Run(thread);
            Note(actor, "end", "");
            if (failure is not null)
            {
                Fail(failure);
                return;
            }

            if (!TryChoose(out next) || next.Thread is not null)
            {
                break;
            }
        }

        // Before the baton passes: the next actor may need a thread.
        if (isIdleAfterwards)
        {
            idleThreads.Release(thread);
        }

        if (next is null)
        {
            End();
        }
        else
        {
            GiveBaton(next);
        }
    }

    private bool TryChoose([NotNullWhen(true)] out Actor? next, Actor? from = null, bool stays = true)
    {
        next = null;
        IsDeciding = true;
        try
        {
            do
            {
                FindCandidates(from, stays);
            }
            while (_candidates.Count == 0 && WhenBlocked());
            next = _candidates.Count > 0 ? Choose(from) : null;
        }
        catch (Exception failure)
        {
            Fail(failure);
            return false;
        }
        finally
        {
            IsDeciding = false;
        }

        return next is not null;
    }

    /// <summary>
    /// The actors that can continue: first the one that has the baton, so that choosing 0 never preempts; then by number.
    /// </summary>
    // Fair to those for which others spin: two actors that spin never take turns for ever while a third one could end it.
    private void FindCandidates(Actor? from, bool stays)
    {
        _candidates.Clear();
        if (stays && from is { CanContinue: true })
        {
            _candidates.Add(from.Number);
        }

        if (!stays)
        {
            from!.GivesWayTo.UnionWith(_actors.Where(actor => actor != from && actor.CanContinue));
        }

        foreach (var actor in _actors)
        {
            if (actor != from && actor.CanContinue && !actor.GivesWayTo.Any(static other => other.CanContinue))
            {
                _candidates.Add(actor.Number);
            }
        }

        if (!stays && _candidates.Count == 0)
        {
            _candidates.Add(from!.Number);
        }
    }

    private Actor Choose(Actor? from)
    {
        var chosen = _candidates[0];
        if (_candidates.Count > 1)
        {
            chosen = _candidates[strategy.Choose(_candidates, canStay: from is not null && chosen == from.Number)];
            _schedule.Add(chosen);
        }

        foreach (var actor in _actors)
        {
            actor.GivesWayTo.Remove(_actors[chosen]);
        }

        return _actors[chosen];
    }

    /// <summary>No actor can continue.</summary>
    private void End()
    {
        if (Failure is null && _actors.TrueForAll(actor => actor.HasEnded))
        {
            _over.Release();
        }
        else if (Failure is null)
        {
            Fail(new InvalidOperationException($"A deadlock: {Describe()}"));
        }
    }

    private void Fail(Exception failure)
    {
        Failure = failure;
        onFailure();
    }

    private string Describe() => string.Join("; ", _actors.Select(actor => actor.Describe()));
}
