using Poolhouse.Resources.Servers;

namespace Poolhouse;

/// <content>Attempts to create an item: the choice of a server, and the handling of the outcome.</content>
public sealed partial class ServerSet<TServer>
{
    // How long the thread pool may take to run a timer before a blocked caller does it.
    private static readonly TimeSpan _timerTimeout = TimeSpan.FromMilliseconds(50);

    /// <summary>Chooses a server that has not been tried yet and counts an attempt on it; null if there is none.</summary>
    internal ServerChoice<TServer>? Choose(HashSet<ServerState<TServer>> tried)
    {
        var now = _clock.Now;
        using (_gate.Enter())
        {
            var untried = _serverList.Listed.Where(state => !tried.Contains(state)).ToList();
            if (untried.Count == 0)
            {
                return null;
            }

            var usable = untried.Where(state => !state.IsAvoided(now)).ToList();
            var state = usable.Count == 0
                ? untried.MinBy(state => state.RecheckAt)!
                : SelectUnderloaded(usable, now) ?? Select(usable);
            var rechecks = state.IsRecheckDue(now);
            state.Rechecking |= rechecks;
            state.Creating++;
            return new ServerChoice<TServer>(state, state.Failures, rechecks, IsLast: untried.Count == 1);
        }
    }

    /// <summary>Ends an attempt that could not begin.</summary>
    internal void Withdraw(in ServerChoice<TServer> choice)
    {
        using (_gate.Enter())
        {
            EndLocked(choice);
        }
    }

    internal bool HasMoreThan(HashSet<ServerState<TServer>> tried) =>
        Array.Exists(Volatile.Read(ref _serverList).Listed, state => !tried.Contains(state));

    internal CancellationTokenSource? NewAttemptTimeout() =>
        _options.AttemptTimeout == Timeout.InfiniteTimeSpan
            ? null
            : new CancellationTokenSource(_options.AttemptTimeout, _options.TimeProvider);

    /// <summary>
    /// The deadline of a creation, null if there is none, when that is, and when nine tenths of the timeout are over.
    /// </summary>
    internal (CancellationTokenSource? Deadline, long OverAt, long NearlyOverAt) NewDeadline(TimeSpan timeout)
    {
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            return (null, PoolClock.Never, PoolClock.Never);
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(timeout, PoolOptionErrors.MaxDuration);
        var deadline = new CancellationTokenSource(timeout, _options.TimeProvider);
        var now = _clock.Now;
        return (deadline, PoolClock.Add(now, _clock.Ticks(timeout)), PoolClock.Add(now, _clock.Ticks(timeout * 0.9)));
    }

    internal long Now => _clock.Now;

    private bool UsesSystemClock => ReferenceEquals(_options.TimeProvider, TimeProvider.System);

    /// <summary>When an attempt that started at the given time times out.</summary>
    internal long AttemptEndOf(long startedAt) => PoolClock.Add(startedAt, _clock.Ticks(_options.AttemptTimeout));

    /// <summary>
    /// How long a thread may block before it does what the timer for the given time has not done; infinite if the clock is not
    /// the system's, because only a timer can tell then.
    /// </summary>
    internal TimeSpan Until(long time)
    {
        if (time == PoolClock.Never || !UsesSystemClock)
        {
            return Timeout.InfiniteTimeSpan;
        }

        // At most a day, because Task.Wait does not accept every duration.
        var left = _clock.Span(Math.Max(0, time - _clock.Now)) + _timerTimeout;
        return left.Ticks < TimeSpan.TicksPerDay ? left : TimeSpan.FromDays(1);
    }

    /// <summary>Whether a time has passed; false if the clock is not the system's, because only a timer can tell then.</summary>
    internal bool IsOver(long time) => UsesSystemClock && Now >= time;

    internal bool WasLongEnough(long startedAt) => _clock.Now - startedAt >= _clock.Ticks(_options.AttemptTimeout);

    internal TimeoutException TookTooLong(Exception? failure) => new(
        $"A server did not create an item within AttemptTimeout ({_options.AttemptTimeout}), or within the remaining time of " +
        "the creation.",
        failure);

    internal ServerItem<TServer, T> Succeed<T>(ServerAttempt<TServer> attempt, T value)
        where T : notnull
    {
        var now = _clock.Now;
        var state = attempt.Choice.State;
        using (_gate.Enter())
        {
            // Created before anything is counted, in case there is not enough memory. Its finalizer ends the count if there is
            // not enough for the item.
            var tracker = new ServerItemTracker<TServer>(this, state, _lastNumber + 1, now, _options.Random.NextDouble());
            _lastNumber++;
            state.Items++;
            state.Created++;
            if (TryEnd(attempt))
            {
                Succeed(state, now);
            }

            return new ServerItem<TServer, T>(tracker, value);
        }
    }

    internal void Fail(ServerAttempt<TServer> attempt, bool wasCancelled, Exception failure)
    {
        var now = _clock.Now;
        var state = attempt.Choice.State;
        using (_gate.Enter())
        {
            if (TryEnd(attempt) && !wasCancelled && attempt.Choice.SeenFailures == state.Failures)
            {
                Fail(state, failure, now);
            }
        }
    }

    private static bool TryEnd(ServerAttempt<TServer> attempt)
    {
        if (attempt.HasEnded)
        {
            return false;
        }

        attempt.HasEnded = true;
        EndLocked(attempt.Choice);
        return true;
    }

    private static void EndLocked(in ServerChoice<TServer> choice)
    {
        choice.State.Creating--;
        if (choice.Rechecks)
        {
            choice.State.Rechecking = false;
            choice.State.ItemToReplace = 0;
        }
    }

    /// <summary>
    /// Without an order of preference: the server for whose recheck an item was replaced, or one that came back and does not
    /// have its share yet.
    /// </summary>
    private ServerState<TServer>? SelectUnderloaded(List<ServerState<TServer>> usable, long now)
    {
        if (_isOrdered)
        {
            return null;
        }

        var most = usable.Max(state => state.Load);
        foreach (var state in usable)
        {
            state.IsRefilled &= state.Load < most;
        }

        return usable.Find(state => state.ItemToReplace != 0 && state.IsRecheckDue(now))
            ?? (_options.Selection == ServerSelection.LeastOutstanding
                ? null
                : usable.Find(state => state.IsRefilled && state.IsUp));
    }

    private ServerState<TServer> Select(List<ServerState<TServer>> usable) => _options.Selection switch
    {
        ServerSelection.RoundRobin => TakeTurn(usable),
        ServerSelection.Random => usable[RandomBelow(usable.Count)],
        ServerSelection.LeastOutstanding => TakeTurn(usable.FindAll(state => state.Load == usable.Min(other => other.Load))),
        _ => usable[0],
    };

    private ServerState<TServer> TakeTurn(List<ServerState<TServer>> candidates)
    {
        var next = candidates.Find(state => state.Position >= _turn) ?? candidates[0];
        _turn = (next.Position + 1) % _serverList.Listed.Length;
        return next;
    }
}
