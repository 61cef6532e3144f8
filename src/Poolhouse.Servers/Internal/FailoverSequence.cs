using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Servers.Internal;

/// <summary>The attempts to create one item, one server after the other. Used by one thread at a time.</summary>
internal sealed class FailoverSequence<TServer> : IDisposable
    where TServer : notnull
{
    private readonly ServerSet<TServer> _set;
    private readonly CancellationToken _cancellation;
    private readonly long _nearlyOverAt;
    private readonly HashSet<ServerState<TServer>> _tried = [];
    private readonly List<(ServerState<TServer> Server, Exception Failure)> _failures = [];
    private ServerState<TServer>? _spare;

    /// <exception cref="ArgumentOutOfRangeException">The timeout or the role is out of range.</exception>
    public FailoverSequence(ServerSet<TServer> set, TimeSpan timeout, RequiredRole required, CancellationToken cancellation)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan((int)required, (int)RequiredRole.Any, nameof(required));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)required, (int)RequiredRole.Standby, nameof(required));
        (_set, Required, _cancellation) = (set, required, cancellation);
        (Deadline, OverAt, _nearlyOverAt) = set.Times.NewDeadline(timeout);
    }

    public RequiredRole Required { get; }

    /// <summary>Cancelled when the time of the creation is over; null if its time is not limited.</summary>
    public CancellationTokenSource? Deadline { get; }

    /// <summary>When the time of the creation is over.</summary>
    public long OverAt { get; }

    /// <summary>
    /// Whether the creation ends because its time is over: by the deadline of this object, or by that of the caller. A pool
    /// starts to count before it calls its policy, so its deadline is a little earlier.
    /// </summary>
    public bool IsOver => DeadlineIsOver || (_cancellation.IsCancellationRequested && _set.Times.Now >= _nearlyOverAt);

    /// <summary>Whether the item is no longer wanted, although there was time left to create it.</summary>
    public bool IsCancelled => _cancellation.IsCancellationRequested && !IsOver;

    // Also without its timer, which needs a thread of the thread pool.
    private bool DeadlineIsOver => Deadline is { IsCancellationRequested: true } || _set.Times.IsOver(OverAt);

    /// <summary>Creates the item on the first server that can and has the required role.</summary>
    /// <param name="create">Creates it on a server.</param>
    /// <param name="getRole">Returns the role of the server of an item; not called if any is accepted.</param>
    public async ValueTask<ServerItem<TServer, T>> CreateAsync<T>(
        Func<TServer, CancellationToken, ValueTask<T>> create, Func<T, ServerRole> getRole)
        where T : notnull
    {
        while (true)
        {
            using var attempt = Next();
            try
            {
                var value = await WaitAsync(attempt, create(attempt.Server, attempt.Token)).ConfigureAwait(false);
                if (attempt.Succeed(value, Required == RequiredRole.Any ? null : getRole) is { } item)
                {
                    return item;
                }
            }
            catch (Exception failure) when (ShouldContinueAfter(attempt, failure))
            {
                // Try the next server.
            }
        }
    }

    /// <summary>The same without asynchronous calls.</summary>
    public ServerItem<TServer, T> Create<T>(Func<TServer, CancellationToken, T> create, Func<T, ServerRole> getRole)
        where T : notnull
    {
        while (true)
        {
            using var attempt = Next();
            try
            {
                var value = Wait(attempt, create);
                if (attempt.Succeed(value, Required == RequiredRole.Any ? null : getRole) is { } item)
                {
                    return item;
                }
            }
            catch (Exception failure) when (ShouldContinueAfter(attempt, failure))
            {
                // Try the next server.
            }
        }
    }

    /// <summary>Whether an item of a server with this role is used. Called under the set's gate.</summary>
    public bool Accepts(in ServerChoice<TServer> choice, ServerRole role) => Required switch
    {
        // If an error showed meanwhile that the role had changed, it may have been read before that.
        RequiredRole.Primary => role == ServerRole.Primary && choice.SeenRoleLosses == choice.State.RoleLosses,
        RequiredRole.Standby => role == ServerRole.Standby,
        RequiredRole.PreferStandby => role == ServerRole.Standby || !choice.HasAlternative || choice.State == _spare,
        _ => true,
    };

    /// <summary>Continues with another server. The first primary is tried again when no standby is left.</summary>
    public void Reject(in ServerChoice<TServer> choice)
    {
        if (Required == RequiredRole.PreferStandby && _spare is null)
        {
            _spare = choice.State;
            _tried.Remove(_spare);
        }
    }

#pragma warning disable CA1031, VSTHRD003 // It is no longer awaited.
    /// <summary>Disposes what a creation creates for which there is no item. Exceptions are ignored.</summary>
    public static async Task DisposeLateAsync<T>(Task<T> creation)
    {
        try
        {
            await ItemDisposal.DisposeAsync(await creation.ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The attempt has failed already.
        }
    }
#pragma warning restore CA1031, VSTHRD003

    public void Dispose() => Deadline?.Dispose();

    /// <exception cref="OperationCanceledException">The item is no longer wanted.</exception>
    /// <exception cref="TimeoutException">The timeout elapsed.</exception>
    /// <exception cref="NoServerAvailableException">All servers were tried.</exception>
    private ServerAttempt<TServer> Next()
    {
        _cancellation.ThrowIfCancellationRequested();
        if (DeadlineIsOver)
        {
            throw _set.Times.TookTooLong(_failures.LastOrDefault().Failure);
        }

        if (_set.Choose(_tried, Required) is not { } choice)
        {
            throw NoneLeft();
        }

        try
        {
            return Begin(choice);
        }
        catch
        {
            // There is not enough memory, or the clock has no timer. Without the object nothing else would end the attempt, and
            // the server would never be rechecked.
            _set.Withdraw(choice);
            throw;
        }
    }

    /// <summary>
    /// Ends an attempt with an exception, and returns whether to swallow it: not if it was the only attempt, the time is over,
    /// or the caller was interrupted. An exception that only reports that the time is over is swallowed, because
    /// <see cref="Next"/> throws a more informative one.
    /// </summary>
    private bool ShouldContinueAfter(ServerAttempt<TServer> attempt, Exception failure)
    {
        if (failure is ThreadInterruptedException)
        {
            // An interrupt is no failure of the server, and is meant for the caller.
            attempt.Cancel(failure);
            return false;
        }

        _failures.Add((attempt.Choice.State, attempt.Fail(failure)));
        return !_cancellation.IsCancellationRequested
            && (DeadlineIsOver ? failure is OperationCanceledException : _tried.Count > 1 || HasMore());
    }

    /// <summary>Waits for a creation, at most until its attempt times out. An item that arrives later is disposed.</summary>
    private static async ValueTask<T> WaitAsync<T>(ServerAttempt<TServer> attempt, ValueTask<T> creation)
        where T : notnull
    {
        // Without another server to try, the caller monitors the time of the creation and destroys an item that arrives late.
        if (creation.IsCompleted || !attempt.HasOwnTimeout)
        {
            return await creation.ConfigureAwait(false);
        }

        var task = creation.AsTask();
        try
        {
            return await task.WaitAsync(attempt.Token).ConfigureAwait(false);
        }
        catch
        {
            // Whether or not it has ended by now: an item that arrived after the wait had ended is late as well.
            // Any exception: there may be no memory for the wait.
            _ = DisposeLateAsync(task);
            throw;
        }
    }

    /// <summary>
    /// Runs a blocking creation on a dedicated thread, and waits at most until its attempt times out. An item that arrives later
    /// is disposed.
    /// </summary>
    private static T Wait<T>(ServerAttempt<TServer> attempt, Func<TServer, CancellationToken, T> create)
        where T : notnull
    {
        var (server, token) = (attempt.Server, attempt.Token);
        if (!attempt.HasOwnTimeout)
        {
            // As above.
            return create(server, token);
        }

        // On a thread of its own, because the thread pool may be starved.
        var creation = ExecutionContextFlow.RunSuppressed(
            () => create(server, token),
            static create => Task.Factory.StartNew(
                create, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
#pragma warning disable VSTHRD002 // The thread that sets it does not depend on another one.
        try
        {
            attempt.Wait(creation);
        }
        catch (AggregateException)
        {
            // Rethrown unchanged below.
        }
        catch
        {
            // As above. The exception is that of the wait: those of the creation are in an AggregateException.
            _ = DisposeLateAsync(creation);
            throw;
        }

        return creation.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    private ServerAttempt<TServer> Begin(in ServerChoice<TServer> choice)
    {
        // The first attempt has the whole time of the creation; a later one may have only what another server left of it.
        var isFirst = _tried.Count == 0 && _spare is null;
        _tried.Add(choice.State);
        return new ServerAttempt<TServer>(
            _set, this, choice, choice.IsLast ? null : _set.Times.NewAttemptTimeout(), isFirst,
            Deadline?.Token ?? CancellationToken.None, _cancellation);
    }

    private NoServerAvailableException NoneLeft()
    {
        var listed = _set.Listed;
        var servers = listed.Select((server, index) =>
        {
            var failure = _failures.FindLast(each => each.Server == server).Failure;
            return $"{index + 1}: {failure?.GetType().Name ?? server.Role.ToString()}";
        });
        var message =
            $"None of {listed.Length} servers created an item (required role: {Required}; {string.Join(", ", servers)}). See " +
            "the inner exception for the last failure, and Failures for all.";
        return new NoServerAvailableException(
            message,
            _failures.ConvertAll(each => each.Failure),
            Required.IsStrict() && Array.Exists(listed, server => !_failures.Exists(each => each.Server == server)));
    }

    private bool HasMore() => Array.Exists(_set.Listed, state => !_tried.Contains(state));
}
