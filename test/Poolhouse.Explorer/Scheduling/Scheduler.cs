using System.Diagnostics;

namespace Poolhouse.Explorer.Scheduling;

/// <summary>One run of a scenario: real threads, of which exactly one goes on at a time, and it is always clear which.</summary>
// How the pool's races are explored
//   The library is compiled a second time into this project, with Interlocked, Volatile, Lock, Monitor and a few others replaced by
//   those in Shims (see the project file). Each of them tells the scheduler that something visible to other threads is about to
//   happen. Only there does it matter who comes first, and only there can the baton pass on. What happens in between is invisible, so a
//   run is described completely by who went on at each such step where more than one could: the schedule. Given again, it replays.
// Who chooses
//   a strategy: Exhaustive tries every schedule with at most so many preemptions (Musuvathi and Qadeer, Iterative Context Bounding,
//   PLDI 2007: most bugs need one or two); RandomWalk and Priorities (Burckhardt et al., A Randomized Scheduler with Probabilistic
//   Guarantees of Finding Bugs, ASPLOS 2010) go where there are too many; Replay repeats one.
// What is a failure
//   an exception out of an actor's body, the end's check that throws, a deadlock (nobody can go on, and the scene at rest has nothing to
//   add), a livelock (too many steps). The explorer then runs the schedule once more with a trace.
// What it does not see
//   weak memory: every run is sequentially consistent, so missing fences stay unseen (test/Poolhouse.Model looks at one of them). And
//   races of plain fields between two steps, which is why plain fields are written under a gate or by the one holder only.
internal sealed class Scheduler(Strategy strategy, Crew crew, bool traces)
{
    // Far more than any scenario takes: whoever gets here goes round in circles.
    private const int MostSteps = 20_000;

    private readonly List<Actor> _actors = [];
    private readonly List<int> _candidates = [];
    private readonly List<int> _schedule = [];
    private readonly List<string> _trace = [];
    private readonly SemaphoreSlim _over = new(0);
    private int _steps;

    /// <summary>Whether the scheduler itself asks: conditions and checks run outside the play.</summary>
    public bool IsDeciding { get; private set; }

    public Exception? Failure { get; private set; }

    public int Steps => _steps;

    /// <summary>What happens when nobody can go on: it may bring in new actors or let time pass, and says whether it did.</summary>
    public Func<bool> AtRest { get; set; } = static () => false;

    public Schedule Schedule => new(_schedule);

    public IReadOnlyList<string> Trace => _trace;

    /// <summary>Brings in an actor, who can go on from now on.</summary>
    public Actor Add(string name, Action body)
    {
        var actor = new Actor(this, _actors.Count, name, body, crew.Member(_actors.Count));
        _actors.Add(actor);
        actor.Enter();
        return actor;
    }

    /// <summary>Runs until everybody has left, or something failed.</summary>
    public void Run()
    {
        if (TryChoose(out var first))
        {
            first.GiveBaton();
            _over.Wait();
        }
    }

    /// <summary>For the one who has the baton: before something visible.</summary>
    public void Switch(Actor from, bool stays = true)
    {
        if (++_steps > MostSteps)
        {
            Fail(new InvalidOperationException($"A livelock: {MostSteps} steps and no end. {Describe()}"));
        }
        else if (TryChoose(out var next, from, stays))
        {
            if (next == from)
            {
                return;
            }

            next.GiveBaton();
        }

        // After a failure nobody passes the baton on any more: this thread stays here, because code that is left by an exception runs
        // its handlers, and those may be anything.
        from.TakeBaton();
    }

    /// <summary>For the one who has the baton and has done everything.</summary>
    public void Leave(Actor actor, Exception? failure)
    {
        Note(actor, "leave", "");
        if (failure is not null)
        {
            Fail(failure);
        }
        else if (TryChoose(out var next))
        {
            next.GiveBaton();
        }
    }

    public void Note(Actor actor, string operation, string where)
    {
        if (traces)
        {
            _trace.Add(TraceLine.Of(actor, operation, where));
        }
    }

    private bool TryChoose([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Actor? next, Actor? from = null, bool stays = true)
    {
        next = null;
        IsDeciding = true;
        try
        {
            do
            {
                FindCandidates(from, stays);
            }
            while (_candidates.Count == 0 && AtRest());
            if (_candidates.Count > 0)
            {
                next = Choose(from);
                return true;
            }
        }
#pragma warning disable CA1031 // Thrown by a check.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            Fail(failure);
            return false;
        }
        finally
        {
            IsDeciding = false;
        }

        if (_actors.TrueForAll(actor => actor.HasLeft))
        {
            _over.Release();
        }
        else
        {
            Fail(new InvalidOperationException($"A deadlock: {Describe()}"));
        }

        return false;
    }

    /// <summary>Who can go on: first the one who has the baton, so that a choice of 0 is never a preemption; then by number.</summary>
    private void FindCandidates(Actor? from, bool stays)
    {
        _candidates.Clear();
        if (stays && from is { CanGoOn: true })
        {
            _candidates.Add(from.Number);
        }

        foreach (var actor in _actors)
        {
            if (actor != from && actor.CanGoOn)
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

        return _actors[chosen];
    }

    private void Fail(Exception failure)
    {
        Failure = failure;
        _over.Release();
    }

    private string Describe() => string.Join("; ", _actors.Select(actor => actor.Describe()));
}
