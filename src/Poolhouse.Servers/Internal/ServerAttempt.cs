using Poolhouse.Kernel;

namespace Poolhouse.Servers.Internal;

/// <summary>
/// One creation on one server. It ends once: with an item, with a failure, or without a result because it was cancelled.
/// </summary>
internal sealed class ServerAttempt<TServer> : IDisposable
    where TServer : notnull
{
    private readonly ServerSet<TServer> _set;
    private readonly FailoverSequence<TServer> _sequence;
    private readonly bool _isFirst;
    private readonly CancellationTokenSource? _timeout;
    private readonly CancellationTokenSource _linkedCancellation;
    private readonly CancellationTokenRegistration _registration;
    private readonly long _startedAt;
    private readonly long _endsAt;

    public ServerAttempt(
        ServerSet<TServer> set,
        FailoverSequence<TServer> sequence,
        in ServerChoice<TServer> choice,
        CancellationTokenSource? timeout,
        bool isFirst,
        CancellationToken deadline,
        CancellationToken cancellation)
    {
        _set = set;
        Choice = choice;
        _sequence = sequence;
        _isFirst = isFirst;
        _startedAt = set.Times.Now;
        _endsAt = timeout is null ? PoolClock.Never : set.Times.AttemptEndOf(_startedAt);
        _timeout = timeout;
        _linkedCancellation =
            CancellationTokenSource.CreateLinkedTokenSource(deadline, cancellation, timeout?.Token ?? CancellationToken.None);

        // A creation that ignores its token must not keep its server marked as healthy meanwhile.
        _registration =
            Token.UnsafeRegister(static attempt => ((ServerAttempt<TServer>)attempt!).Fail(failure: null), this);
    }

    public ServerChoice<TServer> Choice { get; }

    public TServer Server => Choice.State.Server;

    public RequiredRole Required => _sequence.Required;

    /// <inheritdoc cref="FailoverSequence{TServer}.Accepts"/>
    public bool Accepts(ServerRole role) => _sequence.Accepts(Choice, role);

    public CancellationToken Token => _linkedCancellation.Token;

    /// <summary>Whether the attempt has a time limit of its own, because another server can be tried after it.</summary>
    public bool HasOwnTimeout => _timeout is not null;

    /// <summary>Whether the set has recorded how it ended. Accessed under the set's gate.</summary>
    public bool HasEnded { get; set; }

    /// <summary>Ends the attempt with an item. One of a server with the wrong role is disposed.</summary>
    /// <returns>Null if the server has the wrong role.</returns>
    public ServerItem<TServer, T>? Succeed<T>(T value, Func<T, ServerRole>? getRole)
        where T : notnull
    {
        if (value is null)
        {
            throw new InvalidOperationException("The create delegate of a server set returned null. It must return an item.");
        }

        try
        {
            if (_set.Succeed(this, value, getRole?.Invoke(value) ?? ServerRole.Unknown) is { } item)
            {
                return item;
            }
        }
        catch
        {
            // There is not enough memory, or the delegate threw. Without the object that counts it, nothing else disposes the
            // value.
            _ = FailoverSequence<TServer>.DisposeLateAsync(Task.FromResult(value));
            throw;
        }

        _ = FailoverSequence<TServer>.DisposeLateAsync(Task.FromResult(value));
        _sequence.Reject(Choice);
        return null;
    }

    /// <summary>
    /// Ends the attempt without an item: a failure of the server, unless the attempt was cancelled. Has no effect if it has
    /// ended.
    /// </summary>
    /// <returns>The failure of the server.</returns>
    public Exception Fail(Exception? failure)
    {
        var reason = failure is null || _timeout is { IsCancellationRequested: true } ? _set.Times.TookTooLong(failure) : failure;
        _set.Fail(this, _sequence.IsCancelled || WasCutShort, reason);
        return reason;
    }

    /// <summary>Ends the attempt because its caller does not wait for the item any more.</summary>
    public void Cancel(Exception reason)
    {
        _set.Fail(this, wasCancelled: true, reason);
        UserCode.Cancel(_linkedCancellation);
    }

    /// <summary>
    /// Blocks until the creation has ended. Its token is cancelled on time even if no timer can fire because every thread-pool
    /// thread is blocked.
    /// </summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="AggregateException">The creation failed.</exception>
    public void Wait(Task creation)
    {
#pragma warning disable VSTHRD002 // The thread that completes it does not depend on another one.
        while (!creation.Wait(_set.Times.Until(Math.Min(_endsAt, _sequence.OverAt)), Token))
        {
            CancelIfOver(_sequence.OverAt, _sequence.Deadline);
            CancelIfOver(_endsAt, _timeout);
        }
#pragma warning restore VSTHRD002
    }

    // The time of the creation is over, and most of it was spent on other servers: that is no failure of this one.
    private bool WasCutShort =>
        _sequence.IsOver && !_isFirst && _timeout is not { IsCancellationRequested: true }
            && !_set.Times.WasLongEnough(_startedAt);

    private void CancelIfOver(long time, CancellationTokenSource? timeout)
    {
        if (_set.Times.Now >= time && timeout is not null)
        {
            UserCode.Cancel(timeout);
        }
    }

    public void Dispose()
    {
        _registration.Dispose();
        _linkedCancellation.Dispose();
        _timeout?.Dispose();
    }
}
