using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>One more item on its way to work. Several callers may wait for it.</summary>
// Work of its own, and not a method that awaits, so that a caller that blocks can have it begun on another thread: all threads of the
// thread pool may be blocked.
internal sealed class SharedGrowth<T>(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime) : IThreadPoolWorkItem
    where T : notnull
{
    private readonly TaskCompletionSource _ended = new(runtime.Scheduler.Completion);
    private int _begun;

    /// <summary>Completes when the item is at work, with the error if it could not be created.</summary>
    public Task Task => _ended.Task;

    /// <summary>Has the item created, or fails if there is no memory to begin.</summary>
    public void Begin()
    {
        try
        {
            runtime.Scheduler.Post(this);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // A blocked caller may have begun it on a thread of its own.
            if (Interlocked.Exchange(ref _begun, 1) == 0)
            {
                Fail(failure);
            }
        }
    }

    /// <summary>Begins on a thread of its own what the thread pool has not begun.</summary>
    public void RunOnOwnThread()
    {
        if (Volatile.Read(ref _begun) == 0)
        {
            runtime.TryPostToOwnThread(this);
        }
    }

    public void Execute()
    {
        if (Interlocked.Exchange(ref _begun, 1) == 0)
        {
            _ = RunAsync();
        }
    }

    private async Task RunAsync()
    {
        // Nobody awaits this method, but many may await its task.
#pragma warning disable CA1031
        try
        {
            // Off the thread pool it may block, and must: what it would await might need a thread of the thread pool.
            await itemSet.AddOneAsync(blocks: !Thread.CurrentThread.IsThreadPoolThread).ConfigureAwait(false);
            itemSet.EndGrowth();
            _ended.TrySetResult();
        }
        catch (Exception failure)
        {
            Fail(failure);
            return;
        }
#pragma warning restore CA1031

        itemSet.KeepMinimum();
    }

    private void Fail(Exception failure)
    {
        itemSet.EndGrowth();
        _ended.TrySetException(failure);

        // Counted by the engine, whether or not anybody waits for it here.
        _ = _ended.Task.Exception;
    }
}
