using System.Runtime.ExceptionServices;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>The creation of one more active item. Several callers may wait for it.</summary>
// A work item of its own rather than an async method, so that a blocking caller can have it started on another thread: all
// threads of the thread pool may be blocked.
internal sealed class SharedGrowth<T>(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, CancellationToken cancellation)
    : IThreadPoolWorkItem
    where T : notnull
{
    private readonly TaskCompletionSource _ended = new(runtime.Scheduler.Completion);
    private Exception? _failure;
    private ExceptionDispatchInfo? _captured;

    /// <summary>
    /// Completes when the item is active, or when it may not become active any more; fails with the error if it could not be
    /// created.
    /// </summary>
    public Task Task => _ended.Task;

    /// <summary>Whether the item has become active; the growth is about to end. Under the gate of the item set.</summary>
    public bool HasAdded { get; set; }

    /// <summary>The growth that begins when this one has ended, if there is to be one. Under the gate of the item set.</summary>
    public SharedGrowth<T>? Next { get; set; }

    /// <summary>Starts the creation of the item, or fails if there is not enough memory to start.</summary>
    public void Begin()
    {
        try
        {
            runtime.Scheduler.Post(this);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            Fail(failure);
        }
    }

    public void Execute() => _ = RunAsync();

    private async Task RunAsync()
    {
        try
        {
            // Outside the thread pool it may block, and must: an await might need a thread of the thread pool to continue.
            await itemSet.AddOneAsync(blocks: !Thread.CurrentThread.IsThreadPoolThread, cancellation).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // This method is not awaited, but many callers may await its task.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            Fail(failure);
            return;
        }

        itemSet.EndGrowth();
        _ended.TrySetResult();
        itemSet.KeepMinimum();
    }

    /// <summary>Throws the exception with which the creation failed, for a caller that waited for room.</summary>
    // Captured once, before it is first thrown: otherwise the stack trace would grow with each caller.
    public void ThrowFailure() =>
        LazyInitializer.EnsureInitialized(ref _captured, () => ExceptionDispatchInfo.Capture(_failure!)).Throw();

    private void Fail(Exception failure)
    {
        _failure = failure;
        itemSet.EndGrowth(failed: this);
        _ended.TrySetException(failure);

        // Failures are counted by the engine, whether or not a caller is waiting here.
        _ = _ended.Task.Exception;
    }
}
