namespace Poolhouse.Resources;

/// <summary>The attempts to create one item, one server after the other. For one thread at a time.</summary>
internal sealed class ServerRound<TServer>(ServerSet<TServer> set, CancellationToken deadline, CancellationToken cancellation)
    where TServer : notnull
{
    private readonly HashSet<ServerState<TServer>> _tried = [];
    private readonly List<Exception> _failures = [];

    /// <exception cref="OperationCanceledException">The time is up, or nobody wants the item any more.</exception>
    /// <exception cref="NoServerAvailableException">All were tried.</exception>
    public ServerAttempt<TServer> Next()
    {
        cancellation.ThrowIfCancellationRequested();
        deadline.ThrowIfCancellationRequested();
        if (set.Choose(_tried) is not { } choice)
        {
            throw NoneLeft();
        }

        _tried.Add(choice.State);
        return new ServerAttempt<TServer>(set, choice, choice.IsLast ? null : set.NewPatience(), deadline, cancellation);
    }

    /// <summary>
    /// Ends an attempt with an exception, and tells whether to swallow it: not when it is the only one, or nothing is left to be
    /// tried in time.
    /// </summary>
    public bool GoesOnAfter(ServerAttempt<TServer> attempt, Exception failure)
    {
        _failures.Add(attempt.Fail(failure));
        return !cancellation.IsCancellationRequested
            && !deadline.IsCancellationRequested
            && (_failures.Count > 1 || set.HasMoreThan(_tried));
    }

    private NoServerAvailableException NoneLeft()
    {
        var message = $"None of {_failures.Count} servers created an item. See the inner exception for the last failure, and Failures for all.";
        return new NoServerAvailableException(message, _failures);
    }
}
