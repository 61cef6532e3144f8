namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Tracks the work that is queued or running, and abandons work that exceeds its deadline.</summary>
// Locks: a gate of its own, under which only the list, deadlines and phases are changed.
internal sealed class DeadlineMonitor<T>(PoolClock clock, Action<long> scheduleCheck)
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly IntrusiveList<PolicyCall<T>> _calls = new();

    // Fields, so that nothing is allocated for them once work is abandoned.
    private readonly Action<PolicyCall<T>> _release = static work => work.AfterAbandoned();
    private readonly Action<PolicyCall<T>> _end = static work => work.EndAbandoned();
    private readonly Action<PolicyCall<T>> _report = static work => work.ReportAbandoned();

    /// <summary>An object that references the pool while work is in progress, and only then.</summary>
    public object InProgress => _calls;

    public void Add(PolicyCall<T> work)
    {
        using (_gate.Enter())
        {
            _calls.AddLast(work);
        }
    }

    public void Remove(PolicyCall<T> work)
    {
        using (_gate.Enter())
        {
            _calls.Remove(work);
        }
    }

    /// <summary>Starts the time limit of the work: it runs from the start, not from when the work was queued.</summary>
    public void Started(PolicyCall<T> work)
    {
        if (work.Limit == PoolClock.Never)
        {
            return;
        }

        var deadline = PoolClock.Add(clock.Now, work.Limit);
        using (_gate.Enter())
        {
            work.Deadline = deadline;
        }

        scheduleCheck(deadline);
    }

    /// <summary>Abandons work whose deadline has passed, and releases what it held.</summary>
    /// <param name="now">The time.</param>
    /// <param name="next">When to check again.</param>
    /// <returns>The abandoned work, for <see cref="EndAbandoned"/>; null if there is none.</returns>
    public IntrusiveList<PolicyCall<T>>? Abandon(long now, out long next)
    {
        next = PoolClock.Never;
        IntrusiveList<PolicyCall<T>>? abandoned = null;
        using (_gate.Enter())
        {
            for (var work = _calls.First; work is not null;)
            {
                var following = work.Next;
                if (now < work.Deadline)
                {
                    next = Math.Min(next, work.Deadline);
                }
                else
                {
                    // Before the first is abandoned: nothing must be allocated from then on.
                    abandoned ??= new IntrusiveList<PolicyCall<T>>();
                    if (work.TryAbandon())
                    {
                        _calls.Remove(work);
                        abandoned.AddLast(work);
                    }
                }

                work = following;
            }
        }

        ForEach(abandoned, _release);
        return abandoned;
    }

    /// <summary>Ends all of the abandoned work before any of it is reported to the observer, which may block.</summary>
    public void EndAbandoned(IntrusiveList<PolicyCall<T>>? abandoned)
    {
        ForEach(abandoned, _end);

        // Taken out of the list: a call whose hook never ends would keep the items of the others alive (I26).
        while (abandoned?.TakeFirst() is { } work)
        {
            Try(work, _report);
        }
    }

    private static void ForEach(IntrusiveList<PolicyCall<T>>? abandoned, Action<PolicyCall<T>> action)
    {
        for (var work = abandoned?.First; work is not null; work = work.Next)
        {
            Try(work, action);
        }
    }

    private static void Try(PolicyCall<T> work, Action<PolicyCall<T>> action)
    {
        try
        {
            action(work);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // Its capacity was released before. The other abandoned work must be released, ended and reported too.
        }
    }

    public List<PolicyCall<T>> ToList()
    {
        using (_gate.Enter())
        {
            var all = new List<PolicyCall<T>>();
            for (var work = _calls.First; work is not null; work = work.Next)
            {
                all.Add(work);
            }

            return all;
        }
    }
}
