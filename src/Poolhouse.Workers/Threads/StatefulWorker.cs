using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <summary>A worker with its state, which is used only on the worker's thread.</summary>
internal sealed class StatefulWorker<TState>(WorkerSet workers, int number, WorkerPolicy<TState> policy) : Worker(workers, number)
    where TState : notnull
{
    private static readonly ContextCallback _runInContext = static worker => ((StatefulWorker<TState>)worker!).RunCurrent();

    // In the middle of an item, without its context.
    private static readonly ContextCallback _createApart =
        static worker => OutsideOfTasks.Run(((StatefulWorker<TState>)worker!).Create);

    private readonly bool _checksStates = policy.ChecksStates;
    private TState? _state;
    private StatefulItem<TState>? _current;
    private volatile bool _hasState;
    private long _stateEnd = PoolClock.Never;
    private WorkerDestroyReason _endReason = WorkerDestroyReason.Lifetime;
    private long _stateCreatedAt;
    private int _maxUses;
    private int _generation;
    private int _uses;

    public override bool HasState => _hasState;

    public override long StateEnd => Volatile.Read(ref _stateEnd);

    /// <summary>The state, created if there is none. Must be called on the worker's thread.</summary>
    public TState State
    {
        get
        {
            if (!_hasState)
            {
                ExecutionContext.Run(CleanContext!, _createApart, this);
            }

            UsesState = true;
            return _state!;
        }
    }

    /// <summary>Whether there is a state, and the pool has not been cleared since its creation began.</summary>
    private bool HasCurrentState => _hasState && _generation == Workers.Core.Generation;

    public override void CreateStateAhead(StateCommand command)
    {
        if (_hasState)
        {
            return;
        }

        Watch.Begin(new StateCreation(command, Workers.Core), Workers.Core.Clock.Coarse, creates: true);
        try
        {
            Create();
        }
        finally
        {
            if (!Watch.TryEnd())
            {
                DestroyState(WorkerDestroyReason.Tainted);
            }
        }
    }

    public override void DestroyExpiredState()
    {
        if (_hasState && ExpiryReason(Workers.Core.Clock.Now) is { } reason)
        {
            DestroyState(reason);
        }
    }

    public override void EndStateAt(long end, long createdBefore)
    {
        if (_hasState && _stateCreatedAt <= createdBefore && end < _stateEnd)
        {
            _endReason = WorkerDestroyReason.Cleared;
            Volatile.Write(ref _stateEnd, end);
        }

        DestroyExpiredState();
    }

    protected override void Process(WorkItem item)
    {
        var core = Workers.Core;
        var now = core.Clock.Coarse;
        var (strand, lane) = (item.Strand, item.Lane!);
        Counters.WaitTicks += Math.Max(0, now - item.PostedAt);
        if (core.Reporter.RecordsWaits)
        {
            core.Reporter.RecordWait(
                core.ReportedAs, WaitOutcome.Served, core.Clock.Span(Math.Max(0, now - item.PostedAt)), synchronous: false);
        }

        Watch.Begin(item, now, creates: item.NeedsState && !HasCurrentState);
        var creating = Counters.CreateTicks;
        var failure = Run(Unsafe.As<StatefulItem<TState>>(item));
        var end = core.Clock.Coarse;
        var ranFor = Math.Max(0, end - now - (Counters.CreateTicks - creating));
        Counters.RunTicks += ranFor;
        if (core.Reporter.RecordsUseTime)
        {
            core.Reporter.RecordUseTime(core.ReportedAs, core.Clock.Span(ranFor), label: null);
        }

        var noted = TakeNoted();

        // Validated before the caller is notified, and destroyed after it. Within the limits of the item, so that its caller gets
        // an answer if the policy hangs.
        var destroyReason = _hasState && !Watch.IsAbandoned ? GetDestroyReason(failure, noted, end) : null;
        var isKept = Watch.TryEnd();
        Counters.Ended++;
        if (!isKept)
        {
            DestroyState(WorkerDestroyReason.Tainted);
            return;
        }

        // The next item of the key is likely this worker's own next item: others are woken only if the policy or the observer
        // runs before it.
        if (strand is not null && lane.Advance(strand) && (destroyReason is not null || failure is not null))
        {
            Workers.Notify();
        }

        if (failure is null)
        {
            item.Finish();
        }
        else
        {
            Fail(item, failure);
        }

        if (destroyReason is { } reason)
        {
            DestroyState(reason);
        }
    }

    protected override void DestroyState(WorkerDestroyReason reason)
    {
        if (!_hasState)
        {
            return;
        }

        ResetThread();
        var state = _state!;
        _state = default;
        _hasState = false;
        Volatile.Write(ref _stateEnd, PoolClock.Never);
        Counters.Destroyed[(int)reason]++;
        Exception? failure = null;
#pragma warning disable CA1031 // The state is gone either way.
        try
        {
            policy.Destroy(state, reason);
        }
        catch (Exception thrown)
        {
            Counters.DestroyFailures++;
            failure = thrown;
        }
#pragma warning restore CA1031

        Workers.Core.Events.ReportStateDestroyed(reason, failure);
    }

    private Exception? Run(StatefulItem<TState> item)
    {
#pragma warning disable CA1031 // The exception belongs to the caller.
        try
        {
            if (!item.NeedsState || HasCurrentState)
            {
                Counters.Hits++;
            }
            else
            {
                Counters.Misses++;
                if (!TryCreateFor(item))
                {
                    return null;
                }
            }

            if (item.Context is { } context)
            {
                _current = item;
                ExecutionContext.Run(context, _runInContext, this);
            }
            else
            {
                item.Run(_state!, this);
            }

            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
#pragma warning restore CA1031
    }

    /// <summary>Creates the state. The measurement of the item's limits starts before the creation, and again after it.</summary>
    /// <returns>False if it took so long that the item was abandoned meanwhile: then the item is not started.</returns>
    private bool TryCreateFor(StatefulItem<TState> item)
    {
        Create();
        return Watch.TryBeginRunning(item);
    }

    private void RunCurrent()
    {
        var item = _current!;
        _current = null;
        item.Run(_state!, this);
    }

    /// <summary>Creates the state, in place of one that is cleared.</summary>
    private void Create()
    {
        DestroyExpiredState();
        var core = Workers.Core;
        var started = core.Clock.Now;

        // Read first: a state that is cleared during its creation may be based on outdated data.
        _generation = core.Generation;
        try
        {
            _state = policy.Create(core.Closing) ?? throw WorkErrors.CreatedNull(core.Name);
        }
        catch (Exception failure)
        {
            Counters.CreateFailures++;
            core.Events.ReportStateCreateFailed(failure);
            throw;
        }

        var now = core.Clock.Now;
        _uses = 0;
        _maxUses = core.Options.MaxItemsPerState;
        _stateCreatedAt = started;
        _endReason = WorkerDestroyReason.Lifetime;
        Volatile.Write(ref _stateEnd, Lifetime(now));
        _hasState = true;
        Counters.Created++;
        Counters.CreateTicks += Math.Max(0, now - started);
        var time = core.Clock.Span(now - started);
        core.Reporter.RecordCreateTime(core.ReportedAs, time);
        core.Events.ReportStateCreated(time);
    }

    protected override void ObserveNotedFailures()
    {
        if (TakeNoted() is { } noted && _hasState && !SurvivesAll(failure: null, noted))
        {
            DestroyState(WorkerDestroyReason.Tainted);
        }
    }

    private long Lifetime(long now)
    {
        var options = Workers.Core.Options;
        if (options.MaxStateLifetime == Timeout.InfiniteTimeSpan)
        {
            return PoolClock.Never;
        }

        var ticks = Workers.Core.Clock.Ticks(options.MaxStateLifetime);
        return now + ticks - (long)(ticks * options.LifetimeJitter * options.Random.NextDouble());
    }

    /// <summary>Counts a use, and returns why the state may not serve another item; null if it may.</summary>
    private WorkerDestroyReason? GetDestroyReason(Exception? failure, List<Exception>? noted, long now)
    {
        _uses++;
        return !SurvivesAll(failure, noted) ? WorkerDestroyReason.Tainted
            : IsBroken() ? WorkerDestroyReason.Broken
            : _uses >= _maxUses ? WorkerDestroyReason.MaxItems
            : ExpiryReason(now);
    }

    // Each exception is checked: if the policy accepts one, another may still have damaged the state.
    private bool SurvivesAll(Exception? failure, List<Exception>? noted) =>
        (failure is null || Survives(failure)) && (noted is null || (!IsIncomplete(noted) && noted.TrueForAll(Survives)));

    // A policy that throws gives no answer, and then the state is not kept.
    private bool Survives(Exception failure)
    {
        ResetThread();
        return UserCode.CallHook(
            policy, (State: _state!, failure), static (policy, end) => policy.Survives(end.State, end.failure),
            ifItThrows: false);
    }

    private bool IsBroken()
    {
        if (!_checksStates)
        {
            return false;
        }

        ResetContext();
        return UserCode.CallHook(policy, _state!, static (policy, state) => policy.IsBroken(state), ifItThrows: true);
    }

    private WorkerDestroyReason? ExpiryReason(long now) =>
        _generation != Workers.Core.Generation ? WorkerDestroyReason.Cleared
        : now >= _stateEnd ? _endReason
        : null;

    private void Fail(WorkItem item, Exception failure)
    {
        Counters.Failed++;
        var label = Workers.Core.Events.AreObserved ? item.Describe() : string.Empty;
        item.Fail(failure);
        Workers.Core.Events.ReportFailed(label, failure);
    }
}
