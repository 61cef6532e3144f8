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
                throw RentErrors.Closed(runtime.Events.Pool.Name);
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
    public void Progress() => End(
        runtime.Settings.MaxSize,
        static (warmUp, maxSize, ready) => Math.Min(warmUp.Count, maxSize) <= ready,
        static (warmUp, _) => warmUp.Done.TrySetResult());

    /// <summary>Called after a creation failed: fails the pending warm-ups with the unchanged exception.</summary>
    public void Fail(Exception failure) =>
        End(failure, static (_, _, _) => true, static (warmUp, failure) => warmUp.Done.TrySetException(failure));

    public void Close(Exception closed) => Fail(closed);

    // Allocates only if a call waits: a creation that could not be recorded for lack of memory is reported here, too.
    private void End<TState>(TState state, Func<WarmUp, TState, int, bool> predicate, Action<WarmUp, TState> complete)
    {
        List<WarmUp> ended;
        using (_gate.Enter())
        {
            if (_waiting.Count == 0)
            {
                return;
            }

            ended = [];
            var ready = runtime.Core.Readings.Ready;
            foreach (var warmUp in _waiting)
            {
                if (predicate(warmUp, state, ready))
                {
                    ended.Add(warmUp);
                }
            }
        }

        foreach (var warmUp in ended)
        {
            complete(warmUp, state);
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
