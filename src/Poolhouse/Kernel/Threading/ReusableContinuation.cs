using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Poolhouse.Kernel.Threading;

/// <summary>
/// Turns the result of a task into another one, like an async method with one await, but without an allocation for each wait: it
/// is reused by the thread that took its result.
/// </summary>
/// <typeparam name="TSelf">The derived class; each has its own spare.</typeparam>
/// <typeparam name="TAwaited">The type of the awaited result.</typeparam>
/// <typeparam name="TResult">The type of the result.</typeparam>
// PoolingAsyncValueTaskMethodBuilder is not safe here: it reuses its state even if the result is requested before it exists, or
// by two threads. The state would then serve two callers at once (I1).
// Invariants
//   it becomes a spare only when its result has been taken, and only by the one thread that took it (ResultClaim)
//   from then on, nothing touches it on behalf of the previous use
// Locks: none.
internal abstract class ReusableContinuation<TSelf, TAwaited, TResult> : IValueTaskSource<TResult>
    where TSelf : ReusableContinuation<TSelf, TAwaited, TResult>, new()
{
    // One for each thread: the thread that takes a result is often the next one to wait.
    [ThreadStatic]
    private static TSelf? _spare;

    private readonly Action _run;
    private ConfiguredValueTaskAwaitable<TAwaited>.ConfiguredValueTaskAwaiter _awaiter;

    // Continuations run inline, where that of an async method would.
    private ManualResetValueTaskSourceCore<TResult> _source;
    private ResultClaim _claim;

    protected ReusableContinuation()
    {
        _run = Run;
    }

    protected static TSelf Take()
    {
        var spare = _spare ?? new TSelf();
        _spare = null;
        return spare;
    }

    /// <summary>Called once for each use.</summary>
    protected ValueTask<TResult> BeginAsync(ValueTask<TAwaited> awaited)
    {
        var awaiter = awaited.ConfigureAwait(false).GetAwaiter();
        _awaiter = awaiter;
        var result = new ValueTask<TResult>(this, _source.Version);
        if (awaiter.IsCompleted)
        {
            Run();
        }
        else
        {
            awaiter.OnCompleted(_run);
        }

        return result;
    }

    /// <summary>What follows the await.</summary>
    /// <param name="awaiter">Returns the awaited result, or throws the exception of the task.</param>
    protected abstract TResult Continue(ConfiguredValueTaskAwaitable<TAwaited>.ConfiguredValueTaskAwaiter awaiter);

    ValueTaskSourceStatus IValueTaskSource<TResult>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<TResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    TResult IValueTaskSource<TResult>.GetResult(short token)
    {
        ResultClaim.ThrowIfPending(_source.GetStatus(token));
        _claim.Take(token);
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            _source.Reset();
            _spare = (TSelf)this;
        }
    }

    private void Run()
    {
        var awaiter = _awaiter;
        _awaiter = default;
        _claim.Offer(_source.Version, isReusable: true);
        TResult result;
        try
        {
            result = Continue(awaiter);
        }
#pragma warning disable CA1031 // Any exception is delivered to the caller.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _source.SetException(failure);
            return;
        }

        // Runs the caller's code, after which this object may serve another caller: so nothing may follow, not even a catch.
        _source.SetResult(result);
    }
}
