using Poolhouse.Kernel;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>A unit of work on its way from a caller to a worker. Items are reused.</summary>
// Invariants
//   a waiting item is in a chain of its lane or in a list (the overflow list, or that of the items behind another one of its
//   key); List is the list, or null if it is in a chain
//   the thread that sets IsTaken, under the locks of the lane, owns the item and ends it: a worker by running it, any other
//   thread by dropping it. So no interlocked instruction is needed to decide its outcome. IsTaken is reset under the intake lock
//   when the lane accepts the item: before that the caller owns it, and a cancellation that arrives so early removes nothing
//   an item that was removed out of turn while it was in a chain leaves a dead entry there, so it is never reused
//   Version is incremented whenever the item is queued, so that code which refers to an earlier use (a cancellation, a deadline)
//   cannot end a later one
// Order of writes
//   Lane is written first, then IsTaken = false, which is a release. Code that refers to an earlier use reads IsTaken, which is
//   an acquire, and then Lane. If it finds the item not taken, it also finds the lane that has it now, which differs from its own
//   if the item serves another pool by now. (The same lane accepts and removes items under the locks that the reader holds.)
internal abstract class WorkItem : IntrusiveList<WorkItem>.Node
{
    private volatile bool _isTaken = true;

    public long Version { get; private set; }

    /// <summary>Whether the item, in its current version, has been taken.</summary>
    public bool IsTaken
    {
        get => _isTaken;
        set => _isTaken = value;
    }

    /// <summary>Whether a chain may still contain an entry of the item although the item was removed.</summary>
    public bool HasDeadEntry { get; set; }

    /// <summary>The delegate of the item, used for its name.</summary>
    public Delegate? Origin { get; private set; }

    public string? Label { get; private set; }

    public LaneQueue? Lane { get; private set; }

    public object? Key { get; private set; }

    /// <summary>The strand of items with the same key; set when the item is accepted.</summary>
    public KeyStrand? Strand { get; set; }

    public long PostedAt { get; private set; }

    public long QueueLimit { get; private set; }

    public long RunLimit { get; private set; }

    /// <summary>
    /// The worker that queued the item, itself or by asynchronous work that began on it, and the number of its run at that time;
    /// null if there is none.
    /// </summary>
    public (Worker Worker, long Run)? PostedBy { get; set; }

    public ExecutionContext? Context { get; private set; }

    /// <summary>Completed when the item is accepted, for callers that wait for capacity but not for completion.</summary>
    public TaskCompletionSource? Admission { get; set; }

    /// <summary>Whether any thread may run the item, with a state of its own.</summary>
    public virtual bool CanRunAnywhere => false;

    /// <summary>Whether the item needs the worker's state, so that it fails when no state is available.</summary>
    public virtual bool NeedsState => true;

    /// <summary>Whether the item may be dropped to make room for another one.</summary>
    public virtual bool CanBeDropped => true;

    /// <summary>Whether a failure is reported to anyone other than the observer.</summary>
    public virtual bool IsAwaited => true;

    /// <summary>The task that the item represents, for debuggers; null for other work.</summary>
    public virtual object? ScheduledTask => null;

    /// <summary>The token that cancels the item while it waits.</summary>
    public virtual CancellationToken Token => default;

    /// <summary>Called by the caller, which owns the item, before the item is queued.</summary>
    public void Prepare(
        Delegate origin, LaneQueue lane, in WorkOptions options, in ItemLimits limits, ExecutionContext? context)
    {
        Version++;
        Origin = origin;
        Lane = lane;
        Label = options.Label;
        Key = options.Key;
        PostedAt = limits.Now;
        QueueLimit = limits.Queue;
        RunLimit = limits.Run;
        Context = context;
    }

    public bool IsIn(LaneQueue lane) => Lane == lane;

    /// <summary>Called when the work is done.</summary>
    public abstract void Finish();

    /// <summary>Called when the work threw or never started.</summary>
    /// <returns>Whether the failure is reported to a caller; otherwise only the observer is notified.</returns>
    public abstract bool Fail(Exception failure);

    /// <summary>Ends work that was run by its caller.</summary>
    public void End(Exception? failure)
    {
        if (failure is null)
        {
            Finish();
        }
        else
        {
            Fail(failure);
        }
    }

    /// <summary>Marks an item that fails although its work is still running: it is never reused.</summary>
    public virtual void MarkAbandoned()
    {
    }

    /// <summary>The name of the work, for reports. Racy unless called by the owner.</summary>
    public string Describe() => Label ?? NameOf(Origin);

    public static string NameOf(Delegate? work) =>
        work?.Method is { } method ? $"{method.DeclaringType?.Name}.{method.Name}" : "unnamed work";

    /// <summary>Clears all references to objects of the caller (I26).</summary>
    protected void Clear()
    {
        Origin = null;
        Label = null;
        Lane = null;
        Key = null;
        Strand = null;
        PostedBy = null;
        Context = null;
        Admission = null;
    }
}
