using Poolhouse.Kernel;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>A unit of work on its way from a caller to a worker. Used again and again.</summary>
// Invariants
//   while it waits it is in a chain of its lane or in a list: outside, or behind another one of its key; List says in which
//   whoever sets IsTaken, under the locks of the lane, owns it and ends it: a worker by running it, anybody else by dropping it.
//   So nobody has to agree on its fate with a locked instruction. It is reset under the same locks when the lane takes the item
//   in: before that the item is the caller's, and a cancellation that comes so early finds nothing to remove.
//   one that was taken while it was in a chain is left behind there, so it is never used again
//   Version grows whenever it is handed in, so that whoever remembers it from an earlier use (a cancellation, a deadline) cannot
//   end a later one
// Order of writes
//   Lane, then IsTaken = false, which is a release: whoever remembers the item from an earlier use reads IsTaken, which is an acquire,
//   and then Lane. If it finds the item not taken, it finds the lane that has it now, which is another one than its own if the item
//   serves another pool by now. (The same lane takes it in and out under the locks that the reader holds.)
internal abstract class WorkItem : IntrusiveNode<WorkItem>
{
    private volatile bool _isTaken = true;

    public long Version { get; private set; }

    /// <summary>Whether somebody has taken it, of its present version.</summary>
    public bool IsTaken
    {
        get => _isTaken;
        set => _isTaken = value;
    }

    /// <summary>Whether a chain still refers to it although it was taken.</summary>
    public bool IsLeftBehind { get; set; }

    /// <summary>For how many it stands in the measurement of waits: posts are measured by samples.</summary>
    public int Samples { get; set; } = 1;

    /// <summary>What the user sees of the item: the delegate, for its name.</summary>
    public Delegate? Origin { get; private set; }

    public string? Label { get; private set; }

    public WorkLaneQueue? Lane { get; private set; }

    public object? Key { get; private set; }

    /// <summary>The others of its key, from the time when it was accepted.</summary>
    public WorkStrand? Strand { get; set; }

    public long PostedAt { get; private set; }

    public long QueueLimit { get; private set; }

    public long RunLimit { get; private set; }

    /// <summary>The worker that handed it in, and the number of the run in which it did; null for anybody else.</summary>
    public (Worker Worker, long Run)? PostedBy { get; set; }

    public ExecutionContext? Context { get; private set; }

    /// <summary>Completed when it is accepted, for those who wait for room without waiting for its end.</summary>
    public TaskCompletionSource? EnqueueResult { get; set; }

    /// <summary>Whether any thread may run it, with a state of its own.</summary>
    public virtual bool CanRunAnywhere => false;

    /// <summary>Whether it needs the worker's state, so that it fails when there is none to be had.</summary>
    public virtual bool NeedsState => true;

    /// <summary>Whether it may be dropped although its caller waits for nothing but its run.</summary>
    public virtual bool CanBeDropped => true;

    /// <summary>Whether anybody but the observer is told when it fails.</summary>
    public virtual bool IsAwaited => true;

    /// <summary>What cancels it while it waits.</summary>
    public virtual CancellationToken Token => default;

    /// <summary>Called by the caller, who owns it, before it is handed in.</summary>
    public void Prepare(Delegate origin, WorkLaneQueue lane, in WorkOptions options, in WorkLimits limits, ExecutionContext? context)
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

    public bool IsIn(WorkLaneQueue lane) => Lane == lane;

    /// <summary>The work is done.</summary>
    public abstract void Finish();

    /// <summary>The work threw, or never began.</summary>
    /// <returns>Whether somebody is told; otherwise nobody but the observer hears of it.</returns>
    public abstract bool Fail(Exception failure);

    /// <summary>It is to fail although its work still runs: it is never used again.</summary>
    public virtual void GiveUp()
    {
    }

    /// <summary>The name of the work, for reports. Racy for anybody but the owner.</summary>
    public string Describe() => Label ?? NameOf(Origin);

    public static string NameOf(Delegate? work) =>
        work?.Method is { } method ? $"{method.DeclaringType?.Name}.{method.Name}" : "unnamed work";

    /// <summary>Forgets everything of the caller's (I26).</summary>
    protected void Clear()
    {
        Origin = null;
        Label = null;
        Lane = null;
        Key = null;
        Strand = null;
        PostedBy = null;
        Context = null;
        EnqueueResult = null;
        Samples = 1;
    }
}
