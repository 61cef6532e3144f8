using Poolhouse.Kernel.Threading;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>The probes of a shared pool's items: keep-alives at intervals, and after a caller has reported a problem.</summary>
// Invariants
//   an item has at most one probe, which holds it as a use does (SharedItem); one that is suspected meanwhile is probed again
//   a probe is in the list as long as it holds its item: if the list of a closed set is empty, no item is held
//   a probe that cannot be started for lack of memory is undone: the item is due again
// Locks: a gate around the list, a leaf lock.
internal sealed class SharedProbes<T>(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, bool keepsAlive)
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly List<SharedProbe<T>> _probes = [];

    public int Count
    {
        get
        {
            using (_gate.Enter())
            {
                return _probes.Count;
            }
        }
    }

    /// <summary>Probes an item, unless it is being probed or the policy has no keep-alive.</summary>
    public void Start(SharedItem<T> member, bool suspected)
    {
        if (!keepsAlive)
        {
            return;
        }

        SharedProbe<T> probe;
        try
        {
            probe = new SharedProbe<T>(this, runtime, member);
            using (_gate.Enter())
            {
                // Before the item is held.
                _probes.EnsureCapacity(_probes.Count + 1);
                if (!member.TryBeginProbe(suspected))
                {
                    return;
                }

                _probes.Add(probe);
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The item is due again. What called this, such as the end of a use, continues.
            return;
        }

        Queue(probe, member);
    }

    /// <summary>Retires an item that failed its probe; an item that was suspected meanwhile is probed again.</summary>
    public void End(SharedProbe<T> probe, SharedItem<T> member, bool isAlive)
    {
        if (isAlive)
        {
            member.ProbedAt = runtime.Clock.Now;
        }
        else
        {
            itemSet.Retire(member, DestroyReason.KeepAliveFailed);
        }

        var next = member.EndProbe() ? TryCreate(member) : null;
        Replace(probe, next);
        if (next is not null)
        {
            Queue(next, member);
        }
    }

    /// <summary>Ends a probe that could not be started for lack of memory: the item is due again.</summary>
    public void Undo(SharedProbe<T> probe, SharedItem<T> member)
    {
        Release(member);
        Replace(probe, next: null);
        probe.Undo();
    }

    /// <summary>Cancels the probes in progress.</summary>
    public void Cancel() => ToList().ForEach(probe => probe.Cancel());

    /// <summary>Completes when there is no probe in progress.</summary>
    public async Task WhenEndedAsync()
    {
        // One may be followed by another, which is in the list before the first has ended.
        while (ToList() is { Count: > 0 } probes)
        {
            await Task.WhenAll(probes.Select(static probe => probe.WhenEndedAsync())).ConfigureAwait(false);
        }
    }

    private List<SharedProbe<T>> ToList()
    {
        using (_gate.Enter())
        {
            return [.. _probes];
        }
    }

    private void Queue(SharedProbe<T> probe, SharedItem<T> member)
    {
        try
        {
            probe.Queue();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            Undo(probe, member);
        }
    }

    /// <summary>Creates another probe of a held item; releases the item if there is not enough memory.</summary>
    private SharedProbe<T>? TryCreate(SharedItem<T> member)
    {
        try
        {
            return new SharedProbe<T>(this, runtime, member);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            Release(member);
            return null;
        }
    }

    private static void Release(SharedItem<T> member)
    {
        while (member.EndProbe())
        {
            // Suspected meanwhile: there is no memory for that probe either.
        }
    }

    private void Replace(SharedProbe<T> ended, SharedProbe<T>? next)
    {
        using (_gate.Enter())
        {
            _probes.Remove(ended);
            if (next is not null)
            {
                _probes.Add(next);
            }
        }
    }
}
