using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>
/// Passes work on to another scheduler and keeps track of what it has not started, so that a blocked caller can have that run on
/// dedicated threads: all thread-pool threads may be blocked.
/// </summary>
// Invariant: work is in the list from before it is posted until it is started, by the one thread that removes it.
// Locks: a gate around the list; nothing is called under it.
internal sealed class TrackingScheduler(WorkScheduler inner) : WorkScheduler
{
    private readonly Gate _gate = new();
    private readonly IntrusiveList<PostedWork> _posted = new();

    public override TaskCreationOptions Completion => inner.Completion;

    public override void Post(IThreadPoolWorkItem work)
    {
        var posted = new PostedWork(this, work);
        using (_gate.Enter())
        {
            _posted.AddLast(posted);
        }

        try
        {
            inner.Post(posted);
        }
        catch (Exception failure) when (IsLackOfMemory(failure))
        {
            // A blocked caller may have started it on a dedicated thread.
            if (TryRemove(posted))
            {
                throw;
            }
        }
    }

    public override void PostToOwnThread(IThreadPoolWorkItem work) => inner.PostToOwnThread(work);

    /// <summary>Runs the work that has not started on dedicated threads, as far as threads can be created.</summary>
    public void RunPostedOnOwnThreads()
    {
        try
        {
            foreach (var posted in ListPosted())
            {
                inner.PostToOwnThread(posted);
            }
        }
        catch (Exception failure) when (IsLackOfMemory(failure))
        {
            // The work is still posted. The caller that waits for it retries soon, and has a deadline.
        }
    }

    private List<PostedWork> ListPosted()
    {
        var posted = new List<PostedWork>();
        using (_gate.Enter())
        {
            for (var work = _posted.First; work is not null; work = work.Next)
            {
                posted.Add(work);
            }
        }

        return posted;
    }

    private bool TryRemove(PostedWork posted)
    {
        using (_gate.Enter())
        {
            var isListed = posted.List is not null;
            if (isListed)
            {
                _posted.Remove(posted);
            }

            return isListed;
        }
    }

    private sealed class PostedWork(TrackingScheduler scheduler, IThreadPoolWorkItem work)
        : IntrusiveNode<PostedWork>, IThreadPoolWorkItem
    {
        public void Execute()
        {
            if (scheduler.TryRemove(this))
            {
                work.Execute();
            }
        }
    }
}
