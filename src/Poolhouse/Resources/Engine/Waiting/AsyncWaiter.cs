using System.Threading.Tasks.Sources;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>A caller that awaits its lease. Reused, so that waiting allocates nothing.</summary>
// Invariants
//   if it can be cancelled, it is woken by the later of two threads: the caller when it has armed the waiter, and the thread that
//   decides its outcome. So the registration is not touched while the caller is still creating it. If it cannot be cancelled, the
//   thread that decides its outcome wakes it
//   it is reused only after its result was taken, by the one thread that took it, and only if its cancellation callback can no
//   longer run
internal sealed class AsyncWaiter<TGrant, T>(WaitingRents<TGrant, T> rents, WorkScheduler scheduler)
    : Waiter<TGrant>, IValueTaskSource<Lease<T>>, IThreadPoolWorkItem
    where TGrant : class
    where T : notnull
{
    private const int Armed = 1;
    private const int Decided = 2;

    // Continuations run inline, because the wake-up already runs on a thread-pool thread.
    private ManualResetValueTaskSourceCore<Lease<T>> _source;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private int _ready;
    private bool _reusable;
    private ResultClaim _claim;

    public override bool IsSynchronous => false;

    public CancellationToken Token => _token;

    public ValueTask<Lease<T>> Task => new(this, _source.Version);

    /// <summary>Called before the waiter is queued. A waiter that cannot be cancelled is not armed.</summary>
    public void Begin(CancellationToken cancellationToken)
    {
        IsDecidedUnderGate = !cancellationToken.CanBeCanceled;
        if (!IsDecidedUnderGate)
        {
            _token = cancellationToken;
        }
    }

    /// <summary>Called once after the waiter was queued, if it can be cancelled: it is not woken before that.</summary>
    public void Arm()
    {
        try
        {
            Interrupts.Defer(this, static waiter => waiter.Register());
        }
        catch
        {
            rents.Abandon(this);
            throw;
        }

        try
        {
            MarkReady(Armed);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The outcome is decided. The caller does not have its task yet, so none of its code runs here.
            Execute();
        }
    }

    public override void Wake()
    {
        if (IsDecidedUnderGate)
        {
            Post();
        }
        else
        {
            MarkReady(Decided);
        }
    }

    /// <summary>The wake-up, on a thread of the thread pool; never on the stack of the caller that returned the item.</summary>
    public void Execute()
    {
        _reusable = true;
        if (!IsDecidedUnderGate)
        {
            Interrupts.Defer(this, static waiter => waiter._reusable = waiter._registration.Unregister());
        }

        _claim.Offer(_source.Version, _reusable);
        Lease<T> lease;
        try
        {
            lease = rents.Complete(this, _token);
        }
#pragma warning disable CA1031 // Any exception is delivered to the caller.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _source.SetException(failure);
            return;
        }

        // Runs the caller's code, after which this object may serve another caller: so nothing may follow, not even a catch.
        _source.SetResult(lease);
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    public Lease<T> GetResult(short token)
    {
        ResultClaim.ThrowIfPending(_source.GetStatus(token));
        var isReused = _claim.Take(token);
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            if (isReused)
            {
                Recycle();
            }
        }
    }

    private void Register() => _registration = _token.UnsafeRegister(
        static waiter => ((AsyncWaiter<TGrant, T>)waiter!).Cancel(), this);

    private void Recycle()
    {
        _source.Reset();
        _registration = default;
        _token = default;
        _ready = 0;
        ResetOutcome();
        rents.Recycle(this);
    }

    private void Cancel()
    {
        if (TryComplete(WaitOutcome.Cancelled))
        {
            rents.EndCancelled(this);
        }
    }

    private void MarkReady(int part)
    {
        if ((Interlocked.Or(ref _ready, part) | part) == (Armed | Decided))
        {
            Post();
        }
    }

    private void Post() => scheduler.Post(this);
}
