using Poolhouse.Kernel;

namespace Poolhouse.Resources.Servers;

/// <summary>
/// One creation on one server. It ends once: with an item, with a failure, or without a result because it was cancelled.
/// </summary>
internal sealed class ServerAttempt<TServer> : IDisposable
    where TServer : notnull
{
    private readonly ServerSet<TServer> _set;
    private readonly FailoverSequence<TServer> _sequence;
    private readonly bool _isFirst;
    private readonly CancellationTokenSource? _patience;
    private readonly CancellationTokenSource _anyEnd;
    private readonly CancellationTokenRegistration _registration;
    private readonly long _startedAt;

    public ServerAttempt(
        ServerSet<TServer> set,
        FailoverSequence<TServer> sequence,
        in ServerChoice<TServer> choice,
        CancellationTokenSource? patience,
        bool isFirst,
        CancellationToken deadline,
        CancellationToken cancellation)
    {
        _set = set;
        Choice = choice;
        _sequence = sequence;
        _isFirst = isFirst;
        _startedAt = set.Now;
        _patience = patience;
        _anyEnd =
            CancellationTokenSource.CreateLinkedTokenSource(deadline, cancellation, patience?.Token ?? CancellationToken.None);

        // A creation that ignores its token must not keep its server marked as healthy meanwhile.
        _registration =
            _anyEnd.Token.UnsafeRegister(static attempt => ((ServerAttempt<TServer>)attempt!).Fail(failure: null), this);
    }

    public ServerChoice<TServer> Choice { get; }

    public TServer Server => Choice.State.Server;

    public CancellationToken Token => _anyEnd.Token;

    /// <summary>Whether the attempt has a time limit of its own, because another server can be tried after it.</summary>
    public bool HasTimeLeft => _patience is not null;

    /// <summary>Whether the set has recorded how it ended. Accessed under the set's gate.</summary>
    public bool HasEnded { get; set; }

    public ServerItem<TServer, T> Succeed<T>(T value)
        where T : notnull
    {
        if (value is null)
        {
            throw new InvalidOperationException("The create delegate of a server set returned null. It must return an item.");
        }

        return _set.Succeed(this, value);
    }

    /// <summary>
    /// Ends the attempt without an item: a failure of the server, unless the attempt was cancelled. Has no effect if it has
    /// ended.
    /// </summary>
    /// <returns>The failure of the server.</returns>
    public Exception Fail(Exception? failure)
    {
        var reason = failure is null || _patience is { IsCancellationRequested: true } ? _set.TookTooLong(failure) : failure;
        _set.Fail(this, _sequence.IsGivenUp || WasCutShort, reason);
        return reason;
    }

    /// <summary>Ends the attempt because its caller does not wait for the item any more.</summary>
    public void GiveUp(Exception reason)
    {
        _set.Fail(this, wasCancelled: true, reason);
        UserCode.Notify(_anyEnd, 0, static (anyEnd, _) => anyEnd.Cancel());
    }

    // The time of the creation is over, and most of it was spent on other servers: that says nothing about this one.
    private bool WasCutShort =>
        _sequence.IsOver && !_isFirst && _patience is not { IsCancellationRequested: true } && !_set.WasLongEnough(_startedAt);

    public void Dispose()
    {
        _registration.Dispose();
        _anyEnd.Dispose();
        _patience?.Dispose();
    }
}
