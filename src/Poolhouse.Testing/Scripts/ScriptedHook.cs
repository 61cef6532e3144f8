namespace Poolhouse.Testing;

/// <summary>One hook of a <see cref="ScriptedPolicy{T}"/>: behaves as the test specifies, and counts its calls.</summary>
/// <remarks>Thread safe.</remarks>
public sealed class ScriptedHook
{
    private readonly Lock _gate = new();
    private readonly Queue<HookOutcome> _script = [];
    private readonly TimeProvider _time;
    private TaskCompletionSource _released = NewRelease();
    private HookOutcome _outcome;
    private int _calls;
    private int _running;
    private int _mostRunning;

    internal ScriptedHook(TimeProvider time) => _time = time;

    /// <summary>The outcome of calls for which <see cref="Next"/> has planned none.</summary>
    /// <value><see cref="HookOutcome.Succeed"/> by default.</value>
    public HookOutcome Outcome
    {
        get => Read(ref _outcome);
        set
        {
            lock (_gate)
            {
                _outcome = value;
            }
        }
    }

    /// <summary>The exception that failing calls throw.</summary>
    /// <value>An <see cref="InvalidOperationException"/> by default.</value>
    public Exception Failure { get; set; } = new InvalidOperationException("This call fails as scripted.");

    /// <summary>How long a slow call takes, on the clock of the policy.</summary>
    /// <value>1 second by default.</value>
    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Runs first in every call, on the stack of the caller of the hook: to call the pool, or to inspect its state.
    /// </summary>
    /// <value><c>null</c> by default. The hook passes its exceptions on.</value>
    public Action? OnCall { get; set; }

    /// <summary>The number of calls that have begun.</summary>
    public int Calls => Read(ref _calls);

    /// <summary>The number of calls in progress.</summary>
    public int Running => Read(ref _running);

    /// <summary>The highest number of concurrent calls so far.</summary>
    public int MostRunning => Read(ref _mostRunning);

    /// <summary>Plans the next calls, one outcome each; after them <see cref="Outcome"/> applies again.</summary>
    /// <param name="outcomes">The outcomes, in the order of the calls.</param>
    public void Next(params ReadOnlySpan<HookOutcome> outcomes)
    {
        lock (_gate)
        {
            foreach (var outcome in outcomes)
            {
                _script.Enqueue(outcome);
            }
        }
    }

    /// <summary>Lets every call that hangs now continue. Later calls hang again if planned.</summary>
    public void Release()
    {
        TaskCompletionSource released;
        lock (_gate)
        {
            released = _released;
            _released = NewRelease();
        }

        released.SetResult();
    }

    /// <summary>Lets every call succeed from now on, also planned ones, and lets hanging calls continue.</summary>
    internal void Recover()
    {
        lock (_gate)
        {
            _script.Clear();
            _outcome = HookOutcome.Succeed;
        }

        Release();
    }

    /// <returns>The result of the hook.</returns>
    internal async ValueTask<bool> RunAsync(CancellationToken cancellationToken)
    {
        var (outcome, release) = Begin();
        try
        {
            OnCall?.Invoke();
            switch (outcome)
            {
                case HookOutcome.Refuse:
                    return false;
                case HookOutcome.Fail:
                    throw Failure;
                case HookOutcome.Slow:
                    await Task.Delay(Delay, _time, CancellationToken.None).ConfigureAwait(false);
                    return true;
                case HookOutcome.Hang:
                    await release.ConfigureAwait(false);
                    return true;
                case HookOutcome.HangUntilCancelled:
                    await release.WaitAsync(cancellationToken).ConfigureAwait(false);
                    return true;
                default:
                    return true;
            }
        }
        finally
        {
            lock (_gate)
            {
                _running--;
            }
        }
    }

    /// <summary>For hooks without a result: a negative outcome is a failure.</summary>
    internal async ValueTask RunOrThrowAsync(CancellationToken cancellationToken)
    {
        if (!await RunAsync(cancellationToken).ConfigureAwait(false))
        {
            throw Failure;
        }
    }

    private static TaskCompletionSource NewRelease() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private (HookOutcome Outcome, Task Release) Begin()
    {
        lock (_gate)
        {
            _calls++;
            _running++;
            _mostRunning = Math.Max(_mostRunning, _running);
            return (_script.TryDequeue(out var planned) ? planned : _outcome, _released.Task);
        }
    }

    private TValue Read<TValue>(ref TValue value)
    {
        lock (_gate)
        {
            return value;
        }
    }
}
