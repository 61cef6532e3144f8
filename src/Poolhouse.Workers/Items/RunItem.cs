using System.Threading.Tasks.Sources;
using Poolhouse.Kernel.Threading;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Work whose result is awaited. Reused after its result was retrieved.</summary>
// Invariants
//   the thread that ends the item stores the outcome and wakes the caller, exactly once
//   the item is reused only after its result was retrieved, and only if its cancellation callback can no longer run. An abandoned
//   item is not reused, because its work is still running, nor is one with a dead entry in a chain
internal abstract class RunItem<TState, TResult>
    : StatefulItem<TState>, IValueTaskSource<TResult>, IValueTaskSource, IThreadPoolWorkItem
    where TState : notnull
{
    private ManualResetValueTaskSourceCore<TResult> _source;
    private WorkerCore? _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private BlockingEvent? _blocked;
    private TResult? _result;
    private Exception? _failure;
    private ResultClaim _claim;
    private bool _isAbandoned;

    protected TResult Result
    {
        set => _result = value;
    }

    public ValueTask<TResult> BeginAsync(WorkerCore core, CancellationToken cancellationToken)
    {
        var task = new ValueTask<TResult>(this, _source.Version);
        Enqueue(core, cancellationToken);
        return task;
    }

    public ValueTask BeginWithoutResultAsync(WorkerCore core, CancellationToken cancellationToken)
    {
        var task = new ValueTask(this, _source.Version);
        Enqueue(core, cancellationToken);
        return task;
    }

    /// <summary>Queues the item and blocks until it has ended.</summary>
    public TResult RunBlocking(WorkerCore core, CancellationToken cancellationToken)
    {
        var blocked = _blocked = new BlockingEvent();
        var (version, lane) = (Version, Lane);
        Enqueue(core, cancellationToken);
        try
        {
            while (!blocked.Wait(BlockingSend.RecheckInterval))
            {
                // The waiter would be woken, unless the thread that sets the event was interrupted at that moment.
            }
        }
        catch (ThreadInterruptedException)
        {
            // The result is no longer awaited: a queued item is removed, a running one continues, and the item is not reused.
            core.Drops.Cancel(this, version, lane);
            _registration.Unregister();
            throw;
        }

        _claim.Offer(_source.Version, IsReusable());
        SetOutcome();
        return GetResult(_source.Version);
    }

    public override CancellationToken Token => _token;

    public override void Finish()
    {
        // A deadline or a dead entry may refer to the item for long, even if it is not reused (I26).
        ClearWork();
        Clear();
        Wake();
    }

    public override bool Fail(Exception failure)
    {
        _failure = failure;
        if (_isAbandoned)
        {
            // The worker still uses it.
            Wake();
        }
        else
        {
            Finish();
        }

        return true;
    }

    public override void MarkAbandoned() => _isAbandoned = true;

    /// <summary>Wakes the caller, on a thread of the thread pool and never on the worker's thread.</summary>
    public void Execute()
    {
        _claim.Offer(_source.Version, IsReusable());
        SetOutcome();
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    public TResult GetResult(short token)
    {
        var status = _source.GetStatus(token);
        if (status == ValueTaskSourceStatus.Pending && _core is { IsWorkerThread: true } core)
        {
            throw WorkErrors.BlocksOnOwnPool(core.Name);
        }

        ResultClaim.ThrowIfPending(status);
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

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    protected abstract void PutBack();

    protected virtual void ClearWork()
    {
    }

    private void Enqueue(WorkerCore core, CancellationToken cancellationToken)
    {
        _core = core;
        _token = cancellationToken;
        if (Worker.Origin is { } worker && worker.Workers == core.Workers)
        {
            PostedBy = (worker, worker.Watch.RunNumber);
        }

        if (!cancellationToken.CanBeCanceled)
        {
            Enqueue(core);
            return;
        }

        // Registered first, because afterwards the item may already belong to another caller; a cancellation that came too early
        // is detected afterwards.
        var version = Version;
        _registration = cancellationToken.UnsafeRegister(static item => ((RunItem<TState, TResult>)item!).Cancel(), this);
        var lane = Lane!;
        try
        {
            Enqueue(core);
        }
        catch
        {
            // A key that throws when it is compared, for example. The token must not keep what nobody else has (I26).
            _registration.Unregister();
            throw;
        }

        if (cancellationToken.IsCancellationRequested)
        {
            core.Drops.Cancel(this, version, lane);
        }
    }

    private void Enqueue(WorkerCore core)
    {
        try
        {
            if (!core.Enqueue(this))
            {
                End(core.RunByCaller(this));
            }
        }
        catch (PoolOverloadedException refused)
        {
            Fail(refused);
        }
    }

    private void Cancel() => _core?.Drops.Cancel(this, Version, Lane);

    private void Wake()
    {
        if (_blocked is { } blocked)
        {
            blocked.Set();
        }
        else
        {
            Interrupts.Defer(this, static item => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false));
        }
    }

    private bool IsReusable() => (!_token.CanBeCanceled || _registration.Unregister()) && !_isAbandoned && !HasDeadEntry;

    private void SetOutcome()
    {
        if (_failure is { } failure)
        {
            _source.SetException(failure);
        }
        else
        {
            _source.SetResult(_result!);
        }
    }

    private void Recycle()
    {
        _source.Reset();
        _core = null;
        _registration = default;
        _token = default;
        _blocked = null;
        _result = default;
        _failure = null;
        PutBack();
    }
}
