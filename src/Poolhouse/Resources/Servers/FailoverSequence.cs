namespace Poolhouse.Resources.Servers;

/// <summary>The attempts to create one item, one server after the other. Used by one thread at a time.</summary>
internal sealed class FailoverSequence<TServer>(ServerSet<TServer> set, CancellationToken deadline, CancellationToken cancellation)
    where TServer : notnull
{
    private readonly HashSet<ServerState<TServer>> _tried = [];
    private readonly List<Exception> _failures = [];

    /// <exception cref="OperationCanceledException">The timeout elapsed, or the item is no longer wanted.</exception>
    /// <exception cref="NoServerAvailableException">All servers were tried.</exception>
    public ServerAttempt<TServer> Next()
    {
        cancellation.ThrowIfCancellationRequested();
        deadline.ThrowIfCancellationRequested();
        if (set.Choose(_tried) is not { } choice)
        {
            throw NoneLeft();
        }

        // The first attempt has the whole time of the creation; a later one may have only what another server left of it.
        var isFirst = _tried.Count == 0;
        _tried.Add(choice.State);
        return new ServerAttempt<TServer>(set, choice, choice.IsLast ? null : set.NewAttemptTimeout(), isFirst, deadline, cancellation);
    }

    /// <summary>
    /// Ends an attempt with an exception, and returns whether to swallow it: not if it was the only attempt, or no server is left that can
    /// be tried in time.
    /// </summary>
    public bool GoesOnAfter(ServerAttempt<TServer> attempt, Exception failure)
    {
        _failures.Add(attempt.Fail(failure));
        return !cancellation.IsCancellationRequested
            && !deadline.IsCancellationRequested
            && (_failures.Count > 1 || set.HasMoreThan(_tried));
    }

    /// <summary>Waits for a creation, at most until its attempt times out. An item that arrives later is disposed.</summary>
    public static async ValueTask<T> WaitAsync<T>(ServerAttempt<TServer> attempt, ValueTask<T> creation)
        where T : notnull
    {
        // Without another server to try, the caller monitors the time of the creation and destroys an item that arrives late.
        if (creation.IsCompleted || !attempt.HasTimeLeft)
        {
            return await creation.ConfigureAwait(false);
        }

        var task = creation.AsTask();
        try
        {
            return await task.WaitAsync(attempt.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!task.IsCompleted)
        {
            _ = DisposeLateAsync(task);
            throw;
        }
    }

    /// <summary>
    /// Runs a blocking creation on a dedicated thread, and waits at most until its attempt times out. An item that arrives later is disposed.
    /// </summary>
    public static T Wait<T>(ServerAttempt<TServer> attempt, Func<TServer, CancellationToken, T> create)
        where T : notnull
    {
        var (server, token) = (attempt.Server, attempt.Token);
        if (!attempt.HasTimeLeft)
        {
            // As above.
            return create(server, token);
        }

        var outcome = new TaskCompletionSource<T>();
        var thread = new Thread(() =>
        {
#pragma warning disable CA1031 // Any exception becomes the result of the attempt.
            try
            {
                outcome.SetResult(create(server, token));
            }
            catch (Exception failure)
            {
                outcome.SetException(failure);
            }
#pragma warning restore CA1031
        })
        {
            IsBackground = true,
            Name = "Poolhouse: creation on a server",
        };
        try
        {
            thread.UnsafeStart();
        }
        catch (OutOfMemoryException)
        {
            // No thread could be created: better to wait for this server than to fail.
            return create(server, token);
        }

#pragma warning disable VSTHRD002 // The thread that sets it does not depend on another one.
        try
        {
            outcome.Task.Wait(token);
        }
        catch (AggregateException)
        {
            // Rethrown unchanged below.
        }
        catch (OperationCanceledException) when (!outcome.Task.IsCompleted)
        {
            _ = DisposeLateAsync(outcome.Task);
            throw;
        }

        return outcome.Task.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

#pragma warning disable CA1031, VSTHRD003 // It is no longer awaited.
    private static async Task DisposeLateAsync<T>(Task<T> creation)
    {
        try
        {
            switch (await creation.ConfigureAwait(false))
            {
                case IAsyncDisposable late:
                    await late.DisposeAsync().ConfigureAwait(false);
                    break;
                case IDisposable late:
                    late.Dispose();
                    break;
                default:
                    break;
            }
        }
        catch (Exception)
        {
            // The attempt has failed already.
        }
    }
#pragma warning restore CA1031, VSTHRD003

    private NoServerAvailableException NoneLeft()
    {
        var message = $"None of {_failures.Count} servers created an item. See the inner exception for the last failure, and Failures for all.";
        return new NoServerAvailableException(message, _failures);
    }
}
