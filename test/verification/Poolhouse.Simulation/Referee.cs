using Poolhouse.Kernel;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Simulation;

/// <summary>
/// Derives the expected state from the records of the server and of the callers, and stops the run when the pool deviates.
/// </summary>
/// <remarks>This part records the events; the other one audits the pool against the records after every event.</remarks>
internal sealed partial class Referee(SimulatedTime time, SimulatedThreads threads, History history, Scenario scenario)
{
    private readonly List<SimulatedItem> _items = [];
    private readonly List<HookCall> _calls = [];
    private readonly List<Ticket> _queue = [];
    private ResourcePoolOptions? _options;
    private long _optionsSince;
    private long _retryDelayBefore;
    private long _longestPause;
    private long _creationsEnded;
    private int _calling;
    private bool _isSuspended;
    private long _suspensionChangedAt;
    private BrokenPromiseException? _broken;

    public ResourcePool<SimulatedItem> Pool { get; set; } = null!;

    /// <summary>How late the pool may act according to the records.</summary>
    // Timers have whole milliseconds and never fire early; the rest is for the ticks that distinguish callers. A clock that jumps
    // at a reading jumps between the pool's record and this one, so the two may differ by that amount: the referee is then strict
    // about everything except time.
    public long Grace => Dice.Millisecond + 100 + time.Jumped;

    public Tally Tally { get; } = new();

    public bool IsSuspended
    {
        get => _isSuspended;
        set
        {
            _isSuspended = value;
            _suspensionChangedAt = time.Now;
        }
    }

    public bool IsDraining { get; set; }

    public bool IsDisposed { get; set; }

    public bool IsClosed => IsDraining || IsDisposed;

    /// <summary>Whether only hooks are under way.</summary>
    public bool IsAtRest => threads.IsIdle && !time.IsLate && !Pool.Runtime.Core.Readings.HasPostponed;

    public int WarmUps { get; set; }

    /// <summary>The number of clears.</summary>
    public int Generation { get; private set; }

    /// <summary>The options in force.</summary>
    public ResourcePoolOptions Options
    {
        get => _options!;
        set
        {
            // A pause that has begun keeps its length, however often the options change.
            _longestPause = Math.Max(_longestPause, value.RetryDelay.Ticks / 2);
            _retryDelayBefore = (_options ?? value).RetryDelay.Ticks;
            _options = value;
            _optionsSince = time.Now;
        }
    }

    private bool AsksIfBroken => scenario.Hooks.HasFlag(ResourceHooks.IsBroken);

    public void Require(bool truth, string broken)
    {
        if (!truth)
        {
            history.Add("BROKEN: " + broken);
            throw _broken ??= new BrokenPromiseException(broken);
        }
    }

    public void ThrowIfBroken()
    {
        if (_broken is { } broken)
        {
            throw broken;
        }
    }

    /// <summary>Calls the pool; no other caller's code may run on the stack of the call (I25).</summary>
    public TResult Call<TResult>(int client, Func<TResult> call)
    {
        RequireOwnStack("a caller's code");
        _calling = client;
        try
        {
            return call();
        }
        finally
        {
            _calling = 0;
        }
    }

    public void RequireOwnStack(string whose) => Require(_calling == 0, $"{whose} runs on the stack of a caller (I25)");

    // The server's records

    public HookCall Begin(Hook hook, SimulatedItem? item)
    {
        RequireOwnStack("a hook");
        var limit = hook switch
        {
            Hook.Create => Options.CreateTimeout,
            Hook.Reset => Options.ResetTimeout,
            Hook.Destroy or Hook.DestroyLate => Options.DestroyTimeout,
            _ => Options.ValidateTimeout,
        };
        var proof = hook == Hook.Reset ? item!.Proved : null;
        var ticks = proof is null ? limit.Ticks : proof.Deadline - time.Now;
        var call = new HookCall(hook, item, time.Now, ticks) { Generation = Generation, Since = proof?.StartedAt ?? time.Now };
        if (hook == Hook.Create)
        {
            Require(!IsDisposed, "an item is created for a disposed pool");
        }
        else if (hook is not Hook.Destroy and not Hook.DestroyLate)
        {
            RequireUnused(item!, hook.ToString());
            Require(item!.IsOpen, $"{hook} on item {item.Number}, which is gone");
            Require(item.Running is null, $"{hook} on item {item.Number} while {item.Running?.Hook} runs on it");
            item.Proved = null;
        }

        if (item is not null)
        {
            item.Running = call;
            item.Last = call;
        }

        _calls.Add(call);
        return call;
    }

    public void End(HookCall call)
    {
        call.HasEnded = true;
        _calls.Remove(call);
        if (call.Item is { } item && item.Running == call)
        {
            item.Running = null;
            item.FreshSince = time.Now;

            // If the clock jumped meanwhile, the pool may not have checked it yet, so the call ended before it was abandoned.
            if (time.Now >= call.Deadline + Grace && time.JumpedAt < call.Since)
            {
                call.Doom("late");
            }
        }
    }

    public void Opened(SimulatedItem item)
    {
        Tally.Opened++;
        item.DiesAt = Math.Min(
            item.DiesAt, Options.MaxLifetime == Timeout.InfiniteTimeSpan ? long.MaxValue : time.Now + Options.MaxLifetime.Ticks);
        if (item.Generation < Generation)
        {
            item.DiesAt = time.Now;
        }

        _items.Add(item);
    }

    public HookCall BeginDestroy(SimulatedItem item, DestroyReason reason)
    {
        RequireUnused(item, "Destroy");
        Require(!item.IsDetached, $"item {item.Number} is destroyed although it was detached (I14)");
        Require(!item.IsDestroyed, $"item {item.Number} is destroyed twice (I14)");
        Require(
            item.Running is null || !HasTimeLeft(item.Running),
            $"item {item.Number} is destroyed while {item.Running?.Hook} runs on it within its deadline");
        RequireReason(item, reason);
        item.IsDestroyed = true;
        item.Running = null;
        _items.Remove(item);
        Tally.Destroyed[(int)reason]++;
        return Begin(reason == DestroyReason.CreatedTooLate ? Hook.DestroyLate : Hook.Destroy, item);
    }

    /// <summary>Whether the call is certainly within its deadline, so that the pool must not abandon it.</summary>
    public bool HasTimeLeft(HookCall call) => time.Now + time.Jumped < call.Deadline;

    // The callers' records

    /// <summary>The caller that entered the queue last.</summary>
    public Waiter<ResourceEntry<SimulatedItem>> Newest()
    {
        var waiter = ((CallerQueue<ResourceEntry<SimulatedItem>>)Pool.Runtime.Core.Queue).Head;
        while (waiter?.Next is { } next)
        {
            waiter = next;
        }

        Require(waiter is not null, "a caller waits outside the queue");
        return waiter!;
    }

    public void Queue(Ticket ticket) => _queue.Add(ticket);

    public void GivenAtOnce(SimulatedItem item)
    {
        Require(_queue.Count == 0, "a caller is served at once although others wait (I4)");
        Require(!IsSuspended && !IsClosed, "a caller is served although the pool is suspended or closed");
        RequireFit(item);
    }

    /// <summary>Records that a waiter's outcome was decided and its wake-up was posted.</summary>
    public void Decided(AsyncWaiter<ResourceEntry<SimulatedItem>, SimulatedItem> waiter)
    {
        var ticket = _queue.Find(ticket => ticket.Waiter == waiter);
        Require(ticket is not null, "an outcome is decided for no waiter, or twice (I6)");
        var isHead = _queue[0] == ticket;
        _queue.Remove(ticket!);
        ticket!.DecidedAt = time.Now;
        ticket.Outcome = waiter.Outcome;
        history.Add("  decided", ticket.Client, (long)waiter.Outcome);
        switch (waiter.Outcome)
        {
            case WaitOutcome.Served:
                Require(isHead, "a waiter is served before one that arrived earlier (I4)");
                Require(!IsSuspended, "a waiter is served by a suspended pool");
                Require(time.Now < ticket.Deadline + Grace, "a waiter is served after its deadline (I7)");
                RequireFit(waiter.Grant!.Item);
                ticket.Item = waiter.Grant.Item;
                ticket.Item.IsPromised = true;
                break;
            case WaitOutcome.TimedOut:
                Require(time.Now + time.Jumped >= ticket.Deadline, "a waiter times out too early (I7)");
                break;
            case WaitOutcome.Cancelled:
                Require(ticket.IsCancelled, "a waiter is cancelled without a request");
                break;
            case WaitOutcome.Closed:
                Require(IsDisposed, "a waiter is closed by an open pool");
                break;
            case WaitOutcome.Failed:
                Require(
                    IsOfNull(waiter.Failure) || _optionsSince >= ticket.EnqueuedAt || Options.OutageTimeout == TimeSpan.Zero
                        || (Options.OutageTimeout != Timeout.InfiniteTimeSpan
                            && time.Now + time.Jumped >= ticket.EnqueuedAt + Options.OutageTimeout.Ticks),
                    "a waiter fails because of a creation although it should wait (I33)");
                break;
            default:
                RequireOverload(ticket);
                break;
        }
    }

    /// <summary>Whether a creation returned null, which fails all callers at once.</summary>
    public static bool IsOfNull(Exception? failure) => failure?.GetType() == typeof(InvalidOperationException);

    public void Took(SimulatedItem item, int client)
    {
        Require(item.User == 0, $"item {item.Number} is given to client {client} while client {item.User} uses it (I1)");
        Require(item.IsOpen, $"client {client} gets item {item.Number}, which is gone");
        item.IsPromised = false;
        item.IsLate = false;
        item.User = client;
        item.Uses++;
        Tally.Held++;
        Tally.Rents++;
    }

    /// <summary>Called by a client just before it ends its lease.</summary>
    public void LetGo(SimulatedItem item, int client)
    {
        Require(item.User == client, $"item {item.Number} of client {client} is used by client {item.User} (I1)");
        item.User = 0;
        item.Proved = null;
        item.IdleSince = time.Now;
        item.FreshSince = time.Now;
        Tally.Held--;
        if (item.IsTainted && !scenario.Hooks.HasFlag(ResourceHooks.ProveClean))
        {
            item.Doom ??= "tainted";
        }

        if (item.IsBroken && AsksIfBroken)
        {
            item.Doom ??= "broken";
        }
    }

    public void Detached(SimulatedItem item)
    {
        item.IsDetached = true;
        _items.Remove(item);
        Tally.Detached++;
    }

    /// <summary>Records that everything alive and under way ages out within the given time.</summary>
    public void Cleared(long spread)
    {
        Generation++;
        _items.ForEach(item => item.DiesAt = Math.Min(item.DiesAt, time.Now + spread));
    }

    /// <summary>
    /// Falsifies the records, so that a test can check that the audit detects it. Returns false if there is nothing to falsify
    /// yet.
    /// </summary>
    public bool Falsify(string what)
    {
        switch (what)
        {
            case "second owner" when _items.Find(item => item.User > 0) is { } used:
                used.User += 1_000;
                return true;
            case "lost item" when _items.Count > 0:
                _items.RemoveAt(0);
                return true;
            case "waiters out of order" when _queue.Count > 1:
                _queue.Reverse();
                return true;
            case "forgotten waiter":
                _queue.Add(new Ticket(0, waiter: null, -1, Ticket.Never));
                return true;
            case "unfit items" when _items.Count > 0:
                _items.ForEach(item => item.Doom ??= "falsified");
                return true;
            case "past lives" when _items.Count > 0:
                _items.ForEach(item => item.DiesAt = 0);
                return true;
            case "double return":
                Tally.DoubleReturns++;
                return true;
            case "smaller pool" when Options.MaxSize > 1 && Pool.GetStatistics().Live > 1:
                _options = Options.Freeze();
                _options.MaxSize = 1;
                return true;
            default:
                return false;
        }
    }

    public void BreakSome(Dice dice, double share) => _items.ForEach(item => item.IsBroken |= dice.Chance(share));

    private void RequireUnused(SimulatedItem item, string what) =>
        Require(item is { User: 0, IsPromised: false }, $"{what} on item {item.Number} while client {item.User} has it (I1)");

    /// <summary>Requires that the item may be rented now.</summary>
    private void RequireFit(SimulatedItem item)
    {
        RequireUnused(item, "a second lease");
        Require(item.IsOpen, $"item {item.Number} is given away although it is gone (I14)");
        Require(item.Running is null, $"item {item.Number} is given away while {item.Running?.Hook} runs on it (I1)");
        Require(item.Doom is null, $"item {item.Number} is given away although it was {item.Doom} (I8)");
        Require(!item.IsTainted, $"item {item.Number} is given away although it is tainted (I8)");
        Require(!item.IsBroken || !AsksIfBroken, $"item {item.Number} is given away although it is broken (I19)");
        Require(time.Now - time.Jumped < item.DiesAt, $"item {item.Number} is given away although its lifetime has ended (I17)");
        if (scenario.Hooks.HasFlag(ResourceHooks.Validate) && Options.ValidateAfterIdle != Timeout.InfiniteTimeSpan)
        {
            Require(
                time.Now - time.Jumped - item.FreshSince <= Options.ValidateAfterIdle.Ticks,
                $"item {item.Number} is given away without being validated (I19)");
        }
    }

    /// <summary>Requires that a caller may be shed: it has waited for long, and not because of the operators.</summary>
    private void RequireOverload(Ticket ticket)
    {
        Require(Options.Overload is not null, $"client {ticket.Client} is shed by a pool without a limit on waits");
        Require(!IsSuspended, $"client {ticket.Client} is shed by a suspended pool");
        var waited = time.Now + time.Jumped - Math.Max(ticket.EnqueuedAt, Math.Max(_suspensionChangedAt, _optionsSince));
        Require(
            waited > Options.Overload!.Target.Ticks * 2, $"client {ticket.Client} is shed after {TimeSpan.FromTicks(waited)}");
    }

    private void RequireReason(SimulatedItem item, DestroyReason reason)
    {
        var sure = time.Now - _optionsSince > Grace + threads.Slowest;
        var holds = reason switch
        {
            // A reset that cannot be queued is a reset that failed.
            DestroyReason.ResetFailed when threads.LacksMemory => true,
            DestroyReason.Idle => !sure || time.Now + time.Jumped - item.IdleSince >= Options.IdleTimeout.Ticks,
            DestroyReason.Lifetime => !sure || item.DiesAt != long.MaxValue,
            DestroyReason.Cleared => Generation > item.Generation,
            DestroyReason.Broken => item.IsBroken,
            DestroyReason.ValidationFailed or DestroyReason.ResetFailed or DestroyReason.KeepAliveFailed =>
                item.Doom is not null || (item.Last is { } last && !HasTimeLeft(last)) || item.IsBroken || _calls.Count == 0,
            DestroyReason.Tainted => item.IsTainted || (item.Proved is { } proof && !HasTimeLeft(proof)),
            DestroyReason.Discarded => string.Equals(item.Doom, "discarded", StringComparison.Ordinal),
            DestroyReason.CreatedTooLate => item.IsLate,
            DestroyReason.PoolDisposed => IsClosed,
            _ => true,
        };
        Require(holds, $"item {item.Number} is destroyed for a reason that does not hold: {reason}");
    }
}
