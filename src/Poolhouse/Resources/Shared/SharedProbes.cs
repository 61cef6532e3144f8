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
    public void Start(SharedItem<T> item, bool suspected)
    {
        if (!keepsAlive)
        {
            return;
        }

        SharedProbe<T> probe;
        try
        {
            probe = new SharedProbe<T>(this, runtime, item);
            using (_gate.Enter())
            {
                // Before the item is held.
                _probes.EnsureCapacity(_probes.Count + 1);
                if (!item.TryBeginProbe(suspected))
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

        Queue(probe, item);
    }

    /// <summary>Deactivates an item that failed its probe; an item that was suspected meanwhile is probed again.</summary>
    public void End(SharedProbe<T> probe, SharedItem<T> item, bool isAlive)
    {
        if (!isAlive)
        {
            itemSet.Deactivate(item, DestroyReason.KeepAliveFailed);
            Undo(probe, item);
            return;
        }

        item.ProbedAt = runtime.Clock.Now;
        if (item.EndProbe())
        {
            probe.Prepare();
            Queue(probe, item);
        }
        else
        {
            Forget(probe);
        }
    }

    /// <summary>Ends a probe that failed, or could not be started for lack of memory: then the item is due again.</summary>
    public void Undo(SharedProbe<T> probe, SharedItem<T> item)
    {
        while (item.EndProbe())
        {
            // Suspected meanwhile: there is no memory for that probe either.
        }

        Forget(probe);
    }

    /// <summary>Cancels the probes in progress.</summary>
    public void Cancel() => ToList().ForEach(probe => probe.Cancel());

    /// <summary>Completes when there is no probe in progress.</summary>
    public async Task WhenEndedAsync()
    {
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

    private void Queue(SharedProbe<T> probe, SharedItem<T> item)
    {
        try
        {
            probe.Queue();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            Undo(probe, item);
        }
    }

    private void Forget(SharedProbe<T> ended)
    {
        using (_gate.Enter())
        {
            _probes.Remove(ended);
        }

        ended.Complete();
    }
}
