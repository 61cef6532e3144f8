namespace Poolhouse.Ldap.Internal;

/// <summary>A blocking call on a thread of the pool, whose caller may stop waiting for it.</summary>
/// <param name="work">The call.</param>
/// <param name="onLate">Handles a result without a waiter.</param>
// One CAS decides between the end of the call and the caller's timeout.
internal sealed class LdapCall<TResult>(Func<TResult> work, Action<TResult>? onLate)
{
    private const int Queued = 0;
    private const int Running = 1;
    private const int Ended = 2;
    private const int Abandoned = 3;

    private TResult? _result;
    private System.Runtime.ExceptionServices.ExceptionDispatchInfo? _failure;
    private int _state;

    /// <summary>Set at the end of the call, for a caller that blocks.</summary>
    public ManualResetEventSlim? Signal { get; init; }

#pragma warning disable CA1031 // Every exception belongs to the caller.
    public void Run()
    {
        if (Interlocked.CompareExchange(ref _state, Running, Queued) != Queued)
        {
            return;
        }

        TResult result;
        try
        {
            result = work();
        }
        catch (Exception failure)
        {
            _failure = System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(failure);
            Interlocked.CompareExchange(ref _state, Ended, Running);
            Signal?.Set();
            return;
        }

        _result = result;
        if (Interlocked.CompareExchange(ref _state, Ended, Running) == Running)
        {
            Signal?.Set();
        }
        else
        {
            onLate?.Invoke(result);
        }
    }
#pragma warning restore CA1031

    /// <summary>Stops waiting.</summary>
    /// <returns>False if the call has ended after all.</returns>
    public bool TryAbandon()
    {
        if (Interlocked.CompareExchange(ref _state, Abandoned, Queued) == Queued)
        {
            return true;
        }

        WasRunning = true;
        return Interlocked.CompareExchange(ref _state, Abandoned, Running) == Running;
    }

    /// <summary>Whether an abandoned call had begun, so that its effect is unknown.</summary>
    public bool WasRunning { get; private set; }

    /// <summary>The outcome of an ended call.</summary>
    public TResult Outcome()
    {
        _failure?.Throw();
        return _result!;
    }
}
