using System.Runtime.CompilerServices;
using Poolhouse.Resources;

namespace Poolhouse.Workers;

/// <summary>A worker with its state, which never leaves the thread.</summary>
internal sealed class Worker<TState>(WorkerCrew crew, int number, WorkerPolicy<TState> policy) : Worker(crew, number)
    where TState : notnull
{
    private static readonly ContextCallback _runInContext = static worker => ((Worker<TState>)worker!).RunCurrent();

    private TState? _state;
    private WorkItem<TState>? _current;
    private volatile bool _hasState;
    private long _stateEnd = PoolClock.Never;
    private int _generation;
    private int _uses;

    public override bool HasState => _hasState;

    public override long StateEnd => Volatile.Read(ref _stateEnd);

    /// <summary>The state, made if there is none. On the worker's thread.</summary>
    public TState State
    {
        get
        {
            MakeState();
            return _state!;
        }
    }

    public override void MakeState()
    {
        if (!_hasState)
        {
            Create();
        }
    }

    public override void KeepUpState()
    {
        if (_hasState && Verdict(Crew.Core.Clock.Now) is { } reason)
        {
            DestroyState(reason);
        }
    }

    protected override void Process(WorkItem item)
    {
        var core = Crew.Core;
        var now = core.Clock.Coarse;
        var (strand, key, lane) = (item.Strand, item.Key, item.Lane!);
        Counters.WaitTicks += Math.Max(0, now - item.PostedAt);
        if (core.Reporter.RecordsWaits)
        {
            core.Reporter.RecordWait(core.Face, WaitOutcome.Given, core.Clock.Span(Math.Max(0, now - item.PostedAt)), synchronous: false);
        }

        Begin(item, now);
        var failure = Run(Unsafe.As<WorkItem<TState>>(item));
        var ranFor = Math.Max(0, core.Clock.Coarse - now);
        Counters.RunTicks += ranFor;
        if (core.Reporter.RecordsUseTime)
        {
            core.Reporter.RecordUseTime(core.Face, core.Clock.Span(ranFor));
        }

        if (!TryEnd())
        {
            DestroyState(DestroyReason.Tainted);
            return;
        }

        if (strand is not null && lane.Advance(strand, key!))
        {
            Crew.Notify();
        }

        // Judged before the caller is told, and destroyed after it.
        var verdict = _hasState ? Judge(failure) : null;
        if (failure is null)
        {
            item.Finish();
        }
        else
        {
            Fail(item, failure);
        }

        if (verdict is { } reason)
        {
            DestroyState(reason);
        }
    }

    protected override void DestroyState(DestroyReason reason)
    {
        if (!_hasState)
        {
            return;
        }

        var state = _state!;
        _state = default;
        _hasState = false;
        Volatile.Write(ref _stateEnd, PoolClock.Never);
        Counters.Destroyed[(int)reason]++;
        Exception? failure = null;
#pragma warning disable CA1031 // It is gone either way.
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

        if (Crew.Core.Options.Observer is not null)
        {
            var destroyed = new ItemDestroyed(Crew.Core.Face, reason, failure);
            Crew.Core.Tell(observer => observer.OnDestroyed(destroyed));
        }
    }

    private Exception? Run(WorkItem<TState> item)
    {
#pragma warning disable CA1031 // It is the caller's.
        try
        {
            if (!_hasState && item.NeedsState)
            {
                Counters.Misses++;
                Create();
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

    private void RunCurrent()
    {
        var item = _current!;
        _current = null;
        item.Run(_state!, this);
    }

    private void Create()
    {
        var core = Crew.Core;
        var started = core.Clock.Now;
        try
        {
            _state = policy.Create(core.Closing);
            if (_state is null)
            {
                throw new InvalidOperationException($"The policy of worker pool '{core.Name}' made null instead of a state.");
            }
        }
        catch (Exception failure)
        {
            Counters.CreateFailures++;
            var failed = new ItemCreateFailed(core.Face, failure, Failures: 1, TimeSpan.Zero);
            core.Tell(observer => observer.OnCreateFailed(failed));
            throw;
        }

        var now = core.Clock.Now;
        _generation = core.Generation;
        _uses = 0;
        Volatile.Write(ref _stateEnd, Lifetime(now));
        _hasState = true;
        Counters.Created++;
        Counters.CreateTicks += now - started;
        var time = core.Clock.Span(now - started);
        core.Reporter.RecordCreateTime(core.Face, time);
        if (core.Options.Observer is not null)
        {
            var created = new ItemCreated(core.Face, time);
            core.Tell(observer => observer.OnCreated(created));
        }
    }

    private long Lifetime(long now)
    {
        var options = Crew.Core.Options;
        if (options.MaxStateLifetime == Timeout.InfiniteTimeSpan)
        {
            return PoolClock.Never;
        }

        var ticks = Crew.Core.Clock.Ticks(options.MaxStateLifetime);
        return now + ticks - (long)(ticks * options.LifetimeJitter * options.Random.NextDouble());
    }

    /// <summary>Whether the state may serve another item.</summary>
    private DestroyReason? Judge(Exception? failure)
    {
        _uses++;
#pragma warning disable CA1031 // A policy that throws does not know, and then the state is not kept.
        try
        {
            if (failure is not null && !policy.Survives(_state!, failure))
            {
                return DestroyReason.Tainted;
            }

            if (policy.IsBroken(_state!))
            {
                return DestroyReason.Broken;
            }
        }
        catch (Exception)
        {
            return failure is null ? DestroyReason.Broken : DestroyReason.Tainted;
        }
#pragma warning restore CA1031

        return _uses >= Crew.Core.Options.MaxItemsPerState ? DestroyReason.UsedUp : Verdict(Crew.Core.Clock.Coarse);
    }

    private DestroyReason? Verdict(long now) =>
        _generation != Crew.Core.Generation ? DestroyReason.Cleared
        : now >= _stateEnd ? DestroyReason.Lifetime
        : null;

    private void Fail(WorkItem item, Exception failure)
    {
        Counters.Failed++;
        var label = Crew.Core.Options.Observer is null ? string.Empty : item.Describe();
        item.Fail(failure);
        Crew.Core.OnFailed(label, failure);
    }
}
