using System.Data;
using System.Data.Common;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Resets;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// A provider's own open connection, its current lease, and what its pool must know about it. One at a time holds it: a lease, or
/// the pool's work.
/// </summary>
/// <param name="inner">The provider's connection, open.</param>
/// <param name="origin">What the opener returned with it.</param>
/// <param name="captured">What <see cref="SessionReset.CaptureAsync"/> returned.</param>
/// <param name="reset">What resets the session.</param>
/// <param name="isTracked">Whether wrappers see every use of it.</param>
// Why closing waits: a provider's connection is for one caller at a time, its Dispose included. Npgsql's, disposed while a
// validation that was given up still waited for its reply, waited itself for what the validation read, and the session stayed on
// the server. It is the same with a statement that is never awaited.
// Invariants
//   phases go AtRest -> Working -> AtRest, and from either to Closing, where they end
//   the pool's work and its close are never in the provider's connection at the same time: work does not begin once it is
//   closing, and the close waits for the end of work. The pool releases the capacity at its own deadline meanwhile.
// Locks: none
internal sealed class PhysicalConnection(DbConnection inner, object? origin, object? captured, SessionReset reset, bool isTracked)
{
    private const int AtRest = 0;
    private const int Working = 1;
    private const int Closing = 2;

    // Added to the count of uses while the close waits for their end.
    private const int Awaited = int.MinValue;

    private readonly EventHandlers? _handlers = isTracked ? null : new EventHandlers(inner);

    private int _phase;
    private int _uses;
    private TaskCompletionSource? _unused;
    private TaskCompletionSource? _workEnded;

    private string? _seen;
    private bool _seenIsPlain;
    private bool _seenLeavesTraces;
    private bool _seenChangesSession;
    private bool _isPlain = true;
    private bool _mayHaveChanged;

    /// <summary>The provider's connection. Another object after <see cref="RenewAsync"/>, on the same session.</summary>
    public DbConnection Inner { get; private set; } = inner;

    /// <summary>The newest lease. Written by the caller that rented, before a wrapper publishes the connection.</summary>
    public Lease<PhysicalConnection> Lease { get; set; }

    /// <summary>The wrappers that must be detached before the lease ends.</summary>
    public BoundWrappers Bound { get; } = new();

    /// <summary>Whether something is executed on it at this moment.</summary>
    public bool IsInUse => Volatile.Read(ref _uses) != 0;

    /// <summary>What the opener returned with it, such as the server of a set.</summary>
    public object? Origin { get; } = origin;

    /// <summary>What <see cref="SessionReset.CaptureAsync"/> remembered.</summary>
    public object? Captured { get; } = captured;

    /// <summary>What cleans the session.</summary>
    // Npgsql and MySqlConnector keep lists of the statements that they prepared, and a reset that they do not know of makes that
    // list wrong: the next caller with the same text would be told that the statement does not exist.
    public SessionReset Reset => HasPrepared ? reset.AfterPrepare : reset;

    /// <summary>Whether the provider prepared a statement on it, or may have done so unseen.</summary>
    public bool HasPrepared { get; set; } = !isTracked || ProviderStrings.AutoPrepares(inner);

    /// <summary>
    /// Whether it has other event handlers than when it was opened. They would be notified of the next user's events, and only
    /// their owner can remove them.
    /// </summary>
    public bool HasForeignHandlers => _handlers is not null && _handlers.HaveChanged(Inner);

    /// <summary>
    /// Whether its user got hold of the provider's object since the last reset. Written by the holder of the lease.
    /// </summary>
    public bool IsUnwrapped { get; private set; }

    /// <summary>Whether its last user closed it and may keep the object. Written by the holder of the lease.</summary>
    public bool IsAbandoned { get; set; }

    /// <summary>Whether something may be left in the session since the last reset. Written by the holder of the lease.</summary>
    public bool IsTouched { get; private set; }

    /// <summary>Whether it must be reset before another caller uses it.</summary>
    public bool NeedsReset => WasEnlisted
        || (!reset.IsNone && (!isTracked || IsTouched || OpenReader is not null || OpenTransaction is not null || IsSingleUse));

    /// <summary>Whether it is destroyed after its lease, whatever happens in it: its database lives in it.</summary>
    public bool IsSingleUse => reset is DiscardReset;

    /// <summary>What its last user left open, to be disposed before the reset.</summary>
    public OpenReader? OpenReader { get; set; }

    public DbTransaction? OpenTransaction { get; set; }

    /// <summary>The transaction of System.Transactions that it takes part in. Written by the holder of the lease.</summary>
    public TransactionEnlistment? Enlistment { get; set; }

    /// <summary>The transaction of System.Transactions that it took part in last, since the last reset.</summary>
    public TransactionEnlistment? LastEnlistment { get; set; }

    /// <summary>Whether it took part in such a transaction since the last reset.</summary>
    public bool WasEnlisted => LastEnlistment is not null;

    /// <summary>
    /// Key columns are asked for: the provider may open a second connection for that, out of the pool that holds this one. Both
    /// go with the lease.
    /// </summary>
    public void NoteKeyInfo(CommandBehavior behavior)
    {
        if (reset is ProviderReset && behavior.HasFlag(CommandBehavior.KeyInfo))
        {
            Lease.Taint();
        }
    }

    /// <summary>
    /// Its user gets the provider's connection, or an object that leads to it, and may keep it or leave event handlers on it: no
    /// other caller uses that object (I9).
    /// </summary>
    // A provider pool of one gives another object for the same session. Without one the session goes with its object.
    public void NoteUnwrapped()
    {
        HasPrepared = true;
        if (reset is ProviderReset)
        {
            IsUnwrapped = true;
        }
        else
        {
            Lease.Taint();
        }
    }

    /// <summary>Replaces the provider's connection object by another one on the same session, which that resets.</summary>
    public async ValueTask RenewAsync(CancellationToken cancellationToken)
    {
        await Inner.DisposeAsync().ConfigureAwait(false);
        Inner = await ((DbDataSource)Origin!).OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        IsUnwrapped = false;
    }

    /// <summary>An execution begins. A full fence: see <see cref="PooledConnection"/>.</summary>
    public void BeginUse() => Interlocked.Increment(ref _uses);

    public void EndUse()
    {
        if (Interlocked.Decrement(ref _uses) == Awaited)
        {
            _unused!.TrySetResult();
        }
    }

    /// <summary>Completes when nothing is executed on it any more. For the close, once.</summary>
    public Task WhenUnusedAsync()
    {
        // Set before the mark, which publishes it.
        _unused = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return Interlocked.Add(ref _uses, Awaited) == Awaited ? Task.CompletedTask : _unused.Task;
    }

    /// <summary>Something is done to the session: a statement is executed, or what has no text.</summary>
    public void Touch(string? statement = null)
    {
        // Most applications execute the same few string instances again and again.
        if (statement is null || !ReferenceEquals(statement, _seen))
        {
            _seen = statement;
            _seenIsPlain = statement is not null && PlainStatements.IsOne(statement);
            _seenLeavesTraces = statement is null || Reset.MayLeaveTraces(statement);
            _seenChangesSession = _seenLeavesTraces && (statement is null || Reset.MayChangeSession(statement));
        }

        IsTouched |= _seenLeavesTraces;
        _isPlain &= _seenIsPlain;
        _mayHaveChanged |= _seenChangesSession;
    }

    /// <summary>A transaction is begun or ended through the provider.</summary>
    public void TouchTransaction()
    {
        IsTouched = true;
        _isPlain = false;
    }

    /// <summary>Resets the session, as far as what was executed in it can have changed it.</summary>
    public ValueTask<bool> ResetAsync(CancellationToken cancellationToken) =>
        _mayHaveChanged || !isTracked
            ? Reset.ResetAsync(Inner, Captured, cancellationToken)
            : Reset.ResetRowsAsync(Inner, Captured, cancellationToken);

    /// <summary>Resets the session on the caller's stack where that needs no round trip, if there is anything to undo.</summary>
    /// <remarks>
    /// Only by the provider's own reset, and only after plain statements: then no transaction can be open, and the provider's
    /// close has nothing to wait for.
    /// </remarks>
    public void TryResetAtOnce()
    {
        if (!NeedsReset || WasEnlisted || reset is not ProviderReset || !_isPlain || OpenReader is not null
            || OpenTransaction is not null || IsBroken)
        {
            return;
        }

        Inner.Close();
        Inner.Open();
        Clean();
    }

    /// <summary>The session was reset.</summary>
    public void Clean()
    {
        IsTouched = false;
        LastEnlistment = null;
        _isPlain = true;
        _mayHaveChanged = false;
    }

    public bool IsBroken => Inner.State is not (ConnectionState.Open or ConnectionState.Executing or ConnectionState.Fetching
        or (ConnectionState.Open | ConnectionState.Executing) or (ConnectionState.Open | ConnectionState.Fetching));

    /// <summary>Begins work of the pool: a validation or a reset. False if the connection is being closed.</summary>
    public bool TryBeginWork() => Interlocked.CompareExchange(ref _phase, Working, AtRest) == AtRest;

    public void EndWork()
    {
        if (Interlocked.CompareExchange(ref _phase, AtRest, Working) == Closing)
        {
            _workEnded!.SetResult();
        }
    }

    /// <summary>
    /// Lets no work begin any more, and waits for the end of the one that was given up, if it is still under way.
    /// </summary>
    public ValueTask BeginClosingAsync()
    {
        // Set before the phase, which publishes it.
        _workEnded = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return Interlocked.Exchange(ref _phase, Closing) == Working ? new ValueTask(_workEnded.Task) : default;
    }
}
