using Poolhouse.Resources.Engine;

namespace Poolhouse.Simulation;

/// <content>The audit after every event.</content>
internal sealed partial class Referee
{
    private int _sizeBound;
    private int _createBound;
    private int _outageBound = int.MaxValue;
    private long _overMinimumSince = long.MaxValue;
    private (long Since, long Ended)? _pause;

    /// <summary>Compares the pool with the records, and completely if only hooks are pending.</summary>
    public void Audit()
    {
        var now = Pool.GetStatistics();
        Prune();
        AuditBounds(now);
        Require(
            now.Live == now.Idle + now.Leased + now.Creating + now.Validating + now.Resetting + now.Destroying,
            $"the gauges do not add up to Live: {Show(now)}");
        Require(
            now.Created == now.Idle + now.Leased + now.Validating + now.Resetting + now.Destroyed + now.Detached,
            $"created items are lost or counted twice: {Show(now)} (I3)");
        Require(now.Leased >= Tally.Held, $"the callers hold {Tally.Held} items: {Show(now)}");
        if (IsAtRest)
        {
            AuditAtRest(now);
        }
    }

    /// <summary>Checks that work that was begun is needed.</summary>
    public void AuditDemand()
    {
        var now = Pool.GetStatistics();
        var waiting = IsSuspended ? 0 : now.Waiting;

        // An item in a keep-alive does not count as supply, and neither does a slow check: callers get others meanwhile.
        var core = Pool.Runtime.Core;
        var coming = now.Creating + now.Validating - core.Readings.KeepingAlive + now.Resetting - core.Readings.SlowChecks;
        Require(
            WarmUps > 0 || coming <= waiting + Options.MinIdle,
            $"an item is created that is not needed: {Show(now)}; MinIdle {Options.MinIdle} (I16)");
    }

    /// <summary>After the end of the pool: every opened item was destroyed once or detached.</summary>
    public void AuditEnd()
    {
        var now = Pool.GetStatistics();
        Require(
            _items.Count == 0,
            $"{_items.Count} items outlive the pool, the first is {(_items.Count > 0 ? _items[0].Number : 0)} (I14)");
        Require(now.Live == 0 && now.Waiting == 0, $"the pool is not empty: {Show(now)}");
        Require(now.Rented == Tally.Rents, $"Rented is {now.Rented}, the callers rented {Tally.Rents}");
        Require(now.Returned == Tally.Rents - Tally.Detached, $"Returned is {now.Returned}, not {Tally.Rents - Tally.Detached}");
        Require(now.Created == Tally.Opened, $"Created is {now.Created}, the server opened {Tally.Opened}");
        Require(now.Detached == Tally.Detached, $"Detached is {now.Detached}, not {Tally.Detached}");
        Require(
            now.DoubleReturns == Tally.DoubleReturns, $"DoubleReturns is {now.DoubleReturns}, not {Tally.DoubleReturns} (I12)");
        Require(now.Timeouts == Tally.Timeouts, $"Timeouts is {now.Timeouts}, not {Tally.Timeouts}");
        Require(now.Cancellations == Tally.Cancellations, $"Cancellations is {now.Cancellations}, not {Tally.Cancellations}");
        Require(now.Shed == Tally.Refusals, $"Shed is {now.Shed}, not {Tally.Refusals}");
        foreach (var reason in Enum.GetValues<DestroyReason>())
        {
            Require(
                now.DestroyedFor(reason) == Tally.Destroyed[(int)reason],
                $"destroyed for {reason}: the pool counts {now.DestroyedFor(reason)}, " +
                $"the server {Tally.Destroyed[(int)reason]} (I14)");
        }

        Require(time.ArmedTimers == 0, "a timer outlives the pool");
    }

    public static string Show(ResourcePoolStatistics now) =>
        $"MaxSize {now.MaxSize}, live {now.Live}, idle {now.Idle}, leased {now.Leased}, creating {now.Creating}, validating " +
        $"{now.Validating}, resetting {now.Resetting}, destroying {now.Destroying}, waiting {now.Waiting}, created " +
        $"{now.Created}, destroyed {now.Destroyed}, detached {now.Detached}";

    private void AuditBounds(ResourcePoolStatistics now)
    {
        // A lowered bound is enforced only as existing items leave; the number must not grow meanwhile.
        _sizeBound = Math.Max(Options.MaxSize, Math.Min(_sizeBound, now.Live));
        _createBound = Math.Max(Options.MaxConcurrentCreates, Math.Min(_createBound, now.Creating));
        _outageBound = now.InOutage ? Math.Max(1, Math.Min(_outageBound, now.Creating)) : int.MaxValue;
        Require(now.MaxSize == Options.MaxSize, $"MaxSize is {now.MaxSize}, not {Options.MaxSize}");
        Require(now.Live <= _sizeBound, $"more than {_sizeBound} are alive: {Show(now)} (I2)");
        Require(now.Creating <= _createBound, $"more than {_createBound} are under creation: {Show(now)} (I16)");
        Require(now.Creating <= _outageBound, $"more than {_outageBound} are under creation during an outage: {Show(now)} (I16)");
        var onServer = _items.Count(item => !item.IsLate) + Running(Hook.Create) + Running(Hook.Destroy);
        Require(onServer <= now.Live, $"the server sees {onServer} items: {Show(now)} (I2)");
    }

    private void AuditAtRest(ResourcePoolStatistics now)
    {
        Require(
            IsSuspended || now.Waiting == 0 || now.Idle == 0
                || now.Validating - _calls.Count(call => call.Hook == Hook.Validate && IsSlow(call)) >= now.Waiting,
            $"callers wait although items are idle: {Show(now)} (I5)");
        Require(now.Waiting == _queue.Count, $"{_queue.Count} callers wait: {Show(now)}");
        AuditSupply(now);
        AuditPause(now);
        Require(now.Leased == Tally.Held, $"the callers hold {Tally.Held} items: {Show(now)}");
        var inPool = now.Idle + now.Leased + now.Validating + now.Resetting;
        Require(inPool == _items.Count, $"the server has {_items.Count} open items: {Show(now)} (I3)");
        AuditRunning(now.Creating, Hook.Create, now);
        AuditRunning(now.Destroying, Hook.Destroy, now);
        AuditRunning(now.Resetting, Hook.Reset, now);
        AuditRunning(now.Validating, Hook.Validate, now);
        foreach (var ticket in _queue)
        {
            Require(time.Now < ticket.Deadline + Grace, $"client {ticket.Client} waits although its time is up (I7)");
            Require(!ticket.IsCancelled, $"client {ticket.Client} waits although it cancelled (I7)");
            Require(!IsDisposed, $"client {ticket.Client} waits although the pool is disposed");
        }

        AuditRefusals(now);
        if (IsDisposed || (IsDraining && now.Waiting == 0))
        {
            Require(now.Idle == 0, $"items are idle in a closed pool: {Show(now)}");
        }

        AuditLives(now);
    }

    /// <summary>In an outage no caller waits for longer than OutageTimeout (I33).</summary>
    private void AuditRefusals(ResourcePoolStatistics now)
    {
        var limit = Options.OutageTimeout;
        if (now.Outage is not { } outage || limit <= TimeSpan.Zero || IsSuspended
            || now.Live - now.Creating >= now.MaxSize || scenario.Theme == Theme.SharedCapacity)
        {
            return;
        }

        var began = Math.Max(time.Now - outage.Duration.Ticks, _optionsSince);
        foreach (var ticket in _queue)
        {
            Require(
                time.Now < Math.Max(ticket.EnqueuedAt, Math.Max(began, _suspensionChangedAt)) + limit.Ticks + Grace,
                $"client {ticket.Client} waits although an outage lasts for {outage.Duration} (I33)");
        }
    }

    /// <summary>Checks that there is something to wait for.</summary>
    private void AuditSupply(ResourcePoolStatistics now)
    {
        var keptAlive = _calls.Count(call => call.Hook == Hook.KeepAlive && HasTimeLeft(call));
        Require(keptAlive <= 4, $"{keptAlive} items are kept alive at once: {Show(now)}");
        if (IsSuspended || IsDisposed || now.Waiting == 0)
        {
            return;
        }

        var coming = now.Creating + now.Validating - keptAlive + now.Resetting - _calls.Count(IsSlow);
        Require(
            now.InOutage || scenario.Theme == Theme.SharedCapacity || now.Waiting <= coming || now.Live >= now.MaxSize
                || now.Creating > 0,
            $"callers wait although capacity is free, and nothing is created for them: {Show(now)} (I5)");
        Require(
            !now.InOutage || Options.OutageTimeout != TimeSpan.Zero || now.Live > 0
                || scenario.Theme == Theme.SharedCapacity,
            $"callers wait for nothing in a pool that fails fast: {Show(now)}");
    }

    /// <summary>
    /// In an outage, callers that wait have an attempt after a short pause, however long the pool has backed off (I15).
    /// </summary>
    private void AuditPause(ResourcePoolStatistics now)
    {
        var pauses =
            now is { InOutage: true, Creating: 0 } && now.Waiting > now.Validating + now.Resetting && now.Live < now.MaxSize
            && Options.OutageTimeout != TimeSpan.Zero && !IsSuspended && !IsDisposed
            && scenario.Theme != Theme.SharedCapacity;
        var ended = now.Created + now.CreateFailures;
        if (ended != _creationsEnded)
        {
            // A failure at the moment of a change is one before or after it.
            _creationsEnded = ended;
            _longestPause = Math.Max(_retryDelayBefore, Options.RetryDelay.Ticks) / 2;
        }

        _pause = !pauses ? null : _pause is { } last && last.Ended == ended ? last : (time.Now, ended);
        var since = Math.Max(_pause?.Since ?? time.Now, _optionsSince);
        Require(
            time.Now - since <= _longestPause + Grace + threads.Slowest,
            $"callers wait in an outage, and no creation was attempted for {TimeSpan.FromTicks(time.Now - since)}: {Show(now)} " +
            "(I15)");
    }

    /// <summary>Whether a check has lasted so long while a caller waited that the pool must not rely on it.</summary>
    private bool IsSlow(HookCall call)
    {
        var settings = Pool.Runtime.Settings;
        var patience = call.Hook == Hook.Reset ? settings.SlowResetAfter : settings.SlowValidationAfter;
        var since =
            Math.Max(Math.Max(call.StartedAt, _optionsSince), _queue.Count == 0 ? long.MaxValue / 2 : _queue[0].EnqueuedAt);
        return call.Hook is Hook.Reset or Hook.Validate && time.Now < call.Deadline && time.Now >= since + patience + Grace;
    }

    private void AuditLives(ResourcePoolStatistics now)
    {
        if (now.Idle <= Options.MinIdle)
        {
            _overMinimumSince = long.MaxValue;
        }
        else if (_overMinimumSince == long.MaxValue)
        {
            _overMinimumSince = time.Now;
        }

        // An item that is being reset when the clock jumps becomes idle afterwards, and is treated as if it was returned then.
        // With a minimum, the pool checks for items above it only every five seconds.
        var tolerance = Grace + (Options.MinIdle > 0 ? 5_000 * Dice.Millisecond : 0);
        var settled = Math.Max(
            _optionsSince,
            _overMinimumSince == long.MaxValue ? time.Now : Options.MinIdle > 0 ? _overMinimumSince : _optionsSince);
        foreach (var item in _items.Where(item => item is { User: 0, Running: null }))
        {
            Require(
                time.Now <= item.DiesAt + Grace || item.DiesAt == long.MaxValue,
                $"item {item.Number} is idle although its lifetime has ended (I17)");
            Require(
                Options.IdleTimeout == Timeout.InfiniteTimeSpan || time.Now - settled <= tolerance
                    || time.Now - Math.Max(item.IdleSince, time.JumpedAt) <= Options.IdleTimeout.Ticks + tolerance,
                $"item {item.Number} is idle for too long: {Show(now)} (I17)");
        }
    }

    private void AuditRunning(int gauge, Hook hook, ResourcePoolStatistics now)
    {
        // A call past its deadline may or may not have been abandoned yet: timers have whole milliseconds.
        var hooks = _calls.Where(call => call.Hook == hook || (hook == Hook.Validate && call.Hook == Hook.KeepAlive)).ToList();
        var certain = hooks.Count(HasTimeLeft);
        Require(gauge >= certain && gauge <= hooks.Count, $"{certain} to {hooks.Count} of {hook} are running: {Show(now)}");
    }

    private int Running(Hook hook) => _calls.Count(call => call.Hook == hook && HasTimeLeft(call));

    /// <summary>Removes calls that the pool must have abandoned by now.</summary>
    private void Prune()
    {
        if (time.IsLate)
        {
            // The clock has jumped, and the pool may not have checked it yet.
            return;
        }

        for (var i = _calls.Count - 1; i >= 0; i--)
        {
            var call = _calls[i];
            if (call.Deadline != long.MaxValue && time.Now >= call.Deadline + Grace)
            {
                call.Doom("hanging");
                _calls.RemoveAt(i);
            }
        }
    }
}
