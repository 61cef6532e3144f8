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
    /// Called after an item was created or the capacity was changed: a pool that was made smaller is warm when it is full, unless
    /// a budget allows it no item.
    /// </summary>
    public void Progress() => End(failure: null);

    /// <summary>Fails the pending warm-ups: with the unchanged exception of a creation, or because the pool is closed.</summary>
    public void Fail(Exception failure) => End(failure);

    private void End(Exception? failure)
    {
        WarmUp[] ended;
        using (_gate.Enter())
        {
            var ready = runtime.Core.Readings.Ready;
            var most = Math.Max(1, runtime.Core.MaxItems);
            ended = [.. _waiting.Where(each => failure is not null || Math.Min(each.Count, most) <= ready)];
        }

        foreach (var warmUp in ended)
        {
            _ = failure is null ? warmUp.Done.TrySetResult() : warmUp.Done.TrySetException(failure);
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
            runtime.Core.Operators.SetWarmTarget(target, runtime.Clock.Now);
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
