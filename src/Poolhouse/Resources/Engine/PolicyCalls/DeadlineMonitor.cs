using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Knows the work that is queued or running, and gives up what takes too long.</summary>
// Locks: a gate of its own, inside which only phases are changed.
internal sealed class DeadlineMonitor<T>(PoolClock clock, Action<long> lookAt)
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly IntrusiveList<PolicyCall<T>> _works = new();

    /// <summary>Leads to the pool while work is under way, and only then.</summary>
    public object UnderWay => _works;

    public void Add(PolicyCall<T> work)
    {
        using (_gate.Enter())
        {
            _works.AddLast(work);
        }
    }

    public void Remove(PolicyCall<T> work)
    {
        using (_gate.Enter())
        {
            _works.Remove(work);
        }
    }

    /// <summary>The time of the work begins now, not when it was queued.</summary>
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

        lookAt(deadline);
    }

    /// <summary>Gives up what is overdue, and releases what it held.</summary>
    /// <param name="now">The time.</param>
    /// <param name="next">When to look again.</param>
    /// <returns>What was given up, for the report; null if nothing was.</returns>
    public IntrusiveList<PolicyCall<T>>? AbandonOverdue(long now, out long next)
    {
        next = PoolClock.Never;
        IntrusiveList<PolicyCall<T>>? overdue = null;
        using (_gate.Enter())
        {
            for (var work = _works.First; work is not null;)
            {
                var following = work.Next;
                if (now < work.Deadline)
                {
                    next = Math.Min(next, work.Deadline);
                }
                else
                {
                    // Before the first is given up: there is nothing to allocate from then on.
                    overdue ??= new IntrusiveList<PolicyCall<T>>();
                    if (work.TryGiveUp())
                    {
                        _works.Remove(work);
                        overdue.AddLast(work);
                    }
                }

                work = following;
            }
        }

        for (var work = overdue?.First; work is not null; work = work.Next)
        {
            Release(work);
        }

        return overdue;
    }

    private static void Release(PolicyCall<T> work)
    {
        try
        {
            work.AfterGivenUp();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // What it held was released first. Those behind it must be released too.
        }
    }

    public List<PolicyCall<T>> ToList()
    {
        using (_gate.Enter())
        {
            var all = new List<PolicyCall<T>>();
            for (var work = _works.First; work is not null; work = work.Next)
            {
                all.Add(work);
            }

            return all;
        }
    }
}
