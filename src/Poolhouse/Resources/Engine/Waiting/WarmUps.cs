using Poolhouse.Kernel.Threading;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>The calls that wait until a number of items is alive.</summary>
internal sealed class WarmUps<T>(ResourceRuntime<T> runtime)
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly List<WarmUp> _waiting = [];

    /// <summary>An object that references the pool while a call waits, and only then.</summary>
    public object Waiting => _waiting;

    public async Task WaitAsync(int count, CancellationToken cancellationToken)
    {
        var warmUp = new WarmUp(runtime, count);
        using (_gate.Enter())
        {
            _waiting.Add(warmUp);
        }

        try
        {
            UpdateTarget();
            Progress();

            // Inside the block, because a thread can be interrupted at the locks of a token.
            using var registration = cancellationToken.UnsafeRegister(
                static (state, token) => ((WarmUp)state!).Done.TrySetCanceled(token), warmUp);

            // The pool may have closed since the caller checked: this warm-up may have been added after the closing ended the
            // others.
            if (!runtime.Core.IsOpen)
            {
                warmUp.Done.TrySetException(RentErrors.Closed(runtime.Events.Pool.Name));
            }

            await warmUp.Done.Task.ConfigureAwait(false);
        }
        finally
        {
            using (_gate.Enter())
            {
                _waiting.Remove(warmUp);
            }

            UpdateTarget();
        }
    }

    /// <summary>
    /// Called after an item was created or the capacity was changed: a pool that was made smaller is warm when it is full.
    /// </summary>
    public void Progress() => End(failure: null);

    /// <summary>Called after a creation failed: fails the pending warm-ups with the unchanged exception.</summary>
    public void Fail(Exception failure) => End(failure);

    public void Close(Exception closed) => Fail(closed);

    // One at a time, because a list of them would have to be allocated: without memory for it, a caller would never be notified,
    // and a creation that could not be recorded for lack of memory is reported here, too. At most as many as are waiting at the
    // beginning, so that a caller that tries again at once does not fail again.
    private void End(Exception? failure)
    {
        for (var left = CountWaiting(); left > 0 && FindEnded(failure) is { } warmUp; left--)
        {
            if (failure is null)
            {
                warmUp.Done.TrySetResult();
            }
            else
            {
                warmUp.Done.TrySetException(failure);
            }
        }
    }

    private int CountWaiting()
    {
        using (_gate.Enter())
        {
            var count = 0;
            foreach (var warmUp in _waiting)
            {
                count += warmUp.Done.Task.IsCompleted ? 0 : 1;
            }

            return count;
        }
    }

    // Those that were completed, and have yet to leave the list, are passed over.
    private WarmUp? FindEnded(Exception? failure)
    {
        using (_gate.Enter())
        {
            var ready = runtime.Core.Readings.Ready;
            foreach (var warmUp in _waiting)
            {
                if (!warmUp.Done.Task.IsCompleted
                    && (failure is not null || Math.Min(warmUp.Count, runtime.Core.MaxItems) <= ready))
                {
                    return warmUp;
                }
            }

            return null;
        }
    }

    /// <summary>Sets the target of the core to the highest of the requested numbers.</summary>
    // The target is set outside the gate, so two threads may set it in the wrong order. Each reads the number again afterwards:
    // the last one to set the target finds that it has set the current number, or sets it again.
    private void UpdateTarget()
    {
        int target;
        do
        {
            target = ReadTarget();
            runtime.Core.SetWarmTarget(target, runtime.Clock.Now);
        }
        while (target != ReadTarget());
    }

    private int ReadTarget()
    {
        using (_gate.Enter())
        {
            return _waiting.Count == 0 ? 0 : _waiting.Max(static warmUp => warmUp.Count);
        }
    }

    private sealed class WarmUp(ResourceRuntime<T> runtime, int count)
    {
        /// <summary>
        /// The runtime that will complete this warm-up. A reference to a pending warm-up keeps the runtime alive (I29).
        /// </summary>
        public ResourceRuntime<T> Runtime { get; } = runtime;

        public int Count { get; } = count;

        public TaskCompletionSource Done { get; } = new(runtime.Scheduler.Completion);
    }
}
