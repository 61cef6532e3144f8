using Poolhouse.Servers.Internal;

namespace Poolhouse.Servers;

/// <content>Attempts to create an item: the choice of a server, and the handling of the outcome.</content>
public sealed partial class ServerSet<TServer>
{
    /// <summary>Chooses a server that has not been tried yet and counts an attempt on it; null if there is none.</summary>
    internal ServerChoice<TServer>? Choose(HashSet<ServerState<TServer>> tried, RequiredRole required)
    {
        var now = _clock.Now;
        using (_gate.Enter())
        {
            // One creation at a time asks a server whether its role has changed.
            var untried = _serverList.Listed
                .Where(state => !tried.Contains(state)
                    && !(required.IsStrict() && state.Rechecking && !state.MaySuit(required)))
                .ToList();
            if (untried.Count == 0)
            {
                return null;
            }

            var usable = untried.Where(state => !state.IsAvoided(now)).ToList();
            var suitable = usable.FindAll(state => state.MaySuit(required));
            usable = suitable.Count > 0 ? suitable : usable;
            var state = usable.Count == 0
                ? untried.MinBy(state => state.RecheckAt)!
                : _selector.Select(usable, _serverList.Listed.Length, now);
            var rechecks =
                state.IsRecheckDue(now) || (required.IsStrict() && !state.MaySuit(required) && !state.Rechecking);
            state.Rechecking |= rechecks;
            state.Creating++;
            return new ServerChoice<TServer>(state, state.Failures, rechecks, IsLast: untried.Count == 1)
            {
                HasAlternative = suitable.Count > 1,
            };
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

    internal ServerState<TServer>[] Listed => Volatile.Read(ref _serverList).Listed;

    /// <summary>Ends an attempt on a server that works.</summary>
    /// <returns>Null if the server has the wrong role.</returns>
    internal ServerItem<TServer, T>? Succeed<T>(ServerAttempt<TServer> attempt, T value, ServerRole role)
        where T : notnull
    {
        var now = _clock.Now;
        var state = attempt.Choice.State;
        using (_gate.Enter())
        {
            // Created before anything is counted, in case there is not enough memory. Its finalizer ends the count if there is
            // not enough for the item.
            var tracker = attempt.Accepts(role)
                ? new ServerItemTracker<TServer>(
                    this, attempt.Choice, attempt.Required, _lastNumber + 1, now, _options.Random.NextDouble())
                : null;
            if (TryEnd(attempt))
            {
                Succeed(state, now);
            }

            if (role != ServerRole.Unknown && attempt.Choice.SeenRoleLosses == state.RoleLosses)
            {
                state.LearnRole(role, now);
            }

            if (tracker is null)
            {
                return null;
            }

            _lastNumber++;
            state.Items++;
            state.Created++;
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
}
