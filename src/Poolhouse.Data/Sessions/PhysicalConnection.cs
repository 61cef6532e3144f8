using System.Data;
using System.Data.Common;
using System.Diagnostics;
using System.Transactions;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Providers.Resets;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// A provider's own open connection, its current lease, and the pool's data about it. It is held by one user at a time: a lease,
/// or the pool's work.
/// </summary>
// Why closing waits: a provider's connection is for one caller at a time, including its Dispose. An Npgsql connection that was
// disposed while an abandoned validation still waited for its reply waited for that reply too, and the session stayed on
// the server. The same happens with a statement that is never awaited.
// Invariants
//   phases go AtRest -> Working -> AtRest, and from either to Closing, where they end
//   the pool's work and its close are never in the provider's connection at the same time: work does not begin once it is
//   closing, and the close waits for the end of work. The pool releases the capacity at its own deadline meanwhile.
// Locks: none
internal sealed class PhysicalConnection
{
    private const int AtRest = 0;
    private const int Working = 1;
    private const int Closing = 2;

    // Added to the count of uses while the close waits for their end.
    private const int Awaited = int.MinValue;

    private readonly DbProviderProfile _profile;
    private readonly SessionReset _reset;
    private readonly bool _isTracked;

    // Whether opening it again inside a scope would enlist it.
    private readonly bool _mayEnlist;
    private readonly bool _resetsWithoutRoundTrip;

    // Whether each lease gets another object of the provider.
    private readonly bool _renewsLeases;
    private readonly string? _database;
    private readonly EventHandlers? _handlers;

    // Null also if the reset keeps its effect.
    private readonly Func<DbConnection, CancellationToken, ValueTask>? _initialize;

    // The provider checks the session at the opening if it was not used for 5 ms, and may have to begin another one: that is not
    // done on a caller's stack.
    private static readonly TimeSpan _unchecked = TimeSpan.FromMilliseconds(4);

    private long _lastUse;
    private int _phase;
    private int _uses;
    private TaskCompletionSource? _unused;
    private TaskCompletionSource? _workEnded;

    private string? _seen;
    private bool _seenIsPlain;
    private bool _seenLeavesTraces;
    private bool _seenChangesSession;
    private bool _isPlain = true;

    // Whether every use in the current lease is recorded although nothing tracks it.
    private bool _isObserved;
    private bool _mayHaveChanged;

    // Volatile: the provider raises the event on any thread.
    private volatile bool _wasClosed;

    /// <param name="opened">The provider's connection, open, and where it comes from.</param>
    /// <param name="captured">What <see cref="SessionReset.CaptureAsync"/> returned.</param>
    /// <param name="profile">What is known about the provider.</param>
    /// <param name="reset">Resets the session.</param>
    /// <param name="isTracked">Whether wrappers track every use of it.</param>
    /// <param name="initialize">What <see cref="DbPoolOptions.Initialize"/> is, and has been called.</param>
    public PhysicalConnection(
        OpenedConnection opened, object? captured, DbProviderProfile profile, SessionReset reset, bool isTracked,
        Func<DbConnection, CancellationToken, ValueTask>? initialize)
    {
        var inner = opened.Connection;
        (_profile, _reset, _isTracked) = (profile, reset, isTracked);
        (Inner, Origin, OwnSource, _mayEnlist, Captured) =
            (inner, opened.Origin, opened.OwnSource, opened.IsBuiltByUser, captured);
        _initialize = reset.KeepsInitialization ? null : initialize;
        HasPrepared = !isTracked || profile.PreparesAutomatically(inner);

        _resetsWithoutRoundTrip = reset.WantsOwnPool && profile.ResetsAlong && OwnSource is not null;
        _renewsLeases = !isTracked && _resetsWithoutRoundTrip && profile.RenewsLeases;
        _database = reset.IsNone || reset.RestoresDatabase ? null : inner.Database;
        if (!isTracked && !_renewsLeases)
        {
            inner.StateChange += OnStateChange;
            _handlers = new EventHandlers(inner);
        }
    }

    /// <summary>The provider's connection. Another object after <see cref="RenewAsync"/>, on the same session.</summary>
    public DbConnection Inner { get; private set; }

    /// <summary>The newest lease. Written by the caller that rented, before a wrapper publishes the connection.</summary>
    public Lease<PhysicalConnection> Lease { get; set; }

    /// <summary>The wrappers that must be detached before the lease ends.</summary>
    public BoundWrappers Bound { get; } = new();

    /// <summary>Whether something is executed on it at this moment.</summary>
    public bool IsInUse => Volatile.Read(ref _uses) != 0;

    /// <summary>The origin that the opener returned with it, such as the server of a set.</summary>
    public object? Origin { get; }

    /// <summary>The data source whose only connection it is; null without one.</summary>
    public DbDataSource? OwnSource { get; }

    /// <summary>Makes the provider close the connection permanently when it is closed.</summary>
    public void ReleaseOwnSource() => OwnSource?.Dispose();

    /// <summary>The query that validates it: the default of the options stands for the provider's.</summary>
    public string? QueryFor(string? setting) =>
        setting is DbPoolOptions.DefaultValidationQuery ? _profile.ValidationQuery : setting;

    /// <summary>
    /// Whether opening it again is a check: the provider detects that the session has ended, and begins another one. What is to
    /// be prepared in the session would be lost with the reset that this causes.
    /// </summary>
    public bool IsCheckedByOpening => _resetsWithoutRoundTrip && _initialize is null && _profile.DetectsLossAtOpen;

    /// <inheritdoc cref="DbProviderProfile.ConfirmsCancellation"/>
    public bool ConfirmsCancellation => _profile.ConfirmsCancellation;

    /// <summary>Whether the provider reports, without a round trip, that the server is a primary.</summary>
    public bool IsReportedAsPrimary => _profile.ReportedRole(Inner) == ServerRole.Primary;

    /// <summary>Whether a transaction of this isolation level leaves nothing in the session.</summary>
    public bool IsUsual(System.Data.IsolationLevel level) =>
        level == System.Data.IsolationLevel.Unspecified || level == _profile.DefaultIsolation;

    /// <summary>What <see cref="SessionReset.CaptureAsync"/> remembered.</summary>
    public object? Captured { get; }

    /// <summary>Cleans the session.</summary>
    // Npgsql and MySqlConnector keep lists of the statements that they prepared, and a reset that bypasses them makes that
    // list wrong: the next caller with the same text would get the error that the statement does not exist.
    public SessionReset Reset => HasPrepared ? _reset.AfterPrepare : _reset;

    /// <summary>Whether the provider prepared a statement on it, or may have done so undetected.</summary>
    public bool HasPrepared { get; set; }

    /// <summary>
    /// Whether it has other event handlers than when it was opened. They would be notified of the next user's events, and only
    /// their owner can remove them.
    /// </summary>
    public bool HasForeignHandlers => _handlers is not null && !_reset.IsNone && _handlers.HaveChanged(Inner);

    /// <summary>
    /// Whether its user has closed it since the last reset, and perhaps opened it again. Npgsql closes it to change the database,
    /// and opens another session, also if the user changes back.
    /// </summary>
    public bool WasClosed => _wasClosed;

    /// <summary>Whether its user has changed the database and the reset has not changed it back.</summary>
    // The providers track the database without a round trip.
    public bool IsOnOtherDatabase =>
        _database is not null && !string.Equals(Inner.Database, _database, StringComparison.Ordinal);

    /// <summary>
    /// Whether its user has obtained the provider's object since the last reset. Written by the holder of the lease.
    /// </summary>
    public bool IsUnwrapped { get; private set; }

    /// <summary>Whether its last user closed it and may keep the object. Written by the holder of the lease.</summary>
    public bool IsAbandoned { get; set; }

    /// <summary>Whether something may be left in the session since the last reset. Written by the holder of the lease.</summary>
    public bool HasTraces { get; private set; }

    /// <summary>Whether it must be reset before another caller uses it.</summary>
    public bool NeedsReset => WasEnlisted
        || (!_reset.IsNone
            && ((!_isTracked && !_isObserved) || HasTraces
                || OpenReader is not null || OpenTransaction is not null || IsSingleUse));

    /// <summary>Whether it is always destroyed after its lease, because its database exists only in it.</summary>
    public bool IsSingleUse => _reset is DiscardReset;

    /// <summary>Objects that its last user left open, to be disposed before the reset.</summary>
    public OpenReader? OpenReader { get; set; }

    public DbTransaction? OpenTransaction { get; set; }

    /// <summary>The transaction of System.Transactions that it takes part in. Written by the holder of the lease.</summary>
    public TransactionEnlistment? Enlistment { get; set; }

    /// <summary>The transaction of System.Transactions that it took part in last, since the last reset.</summary>
    public TransactionEnlistment? LastEnlistment { get; set; }

    /// <summary>Whether it took part in such a transaction since the last reset.</summary>
    public bool WasEnlisted => LastEnlistment is not null;

    /// <summary>
    /// Called when key columns are requested: the provider may open a second connection for that, from the pool that holds this
    /// one. Both are closed with the lease.
    /// </summary>
    public void NoteKeyInfo(CommandBehavior behavior)
    {
        if (_reset is ProviderReset && behavior.HasFlag(CommandBehavior.KeyInfo))
        {
            Lease.Taint();
        }
    }

    /// <summary>
    /// Called when its user gets the provider's connection, or an object that leads to it, and may keep it or add event handlers:
    /// no other caller gets that object (I9).
    /// </summary>
    // A provider pool of one returns another object for the same session. Without one, the session is closed with its object.
    public void NoteUnwrapped()
    {
        HasPrepared = true;
        if (_reset is ProviderReset || _resetsWithoutRoundTrip)
        {
            if (!IsUnwrapped && !_profile.RenewsLeases)
            {
                Inner.StateChange += OnStateChange;
            }

            // The reset is what replaces the object.
            IsUnwrapped = HasTraces = true;
        }
        else
        {
            Lease.Taint();
        }
    }

    /// <summary>
    /// Replaces the provider's connection object by another one on the same session, which also resets the session.
    /// </summary>
    /// <returns>False if it cannot be used again.</returns>
    private async ValueTask<bool> RenewAsync(CancellationToken cancellationToken)
    {
        CloseSessions(forGood: false);
        Inner.StateChange -= OnStateChange;
        await Inner.DisposeAsync().ConfigureAwait(false);
        Inner = await OwnSource!.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        IsUnwrapped = false;
        return (_isObserved && !_mayHaveChanged)
            || await Reset.FinishReopenedAsync(Inner, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes the clean connection into the provider's pool and opens it again.</summary>
    public async ValueTask ReopenAsync(CancellationToken cancellationToken)
    {
        await ProviderReset.ReopenAsync(Inner, cancellationToken).ConfigureAwait(false);
        _wasClosed = false;
    }

    /// <summary>
    /// Makes the provider close the sessions that it opened for <see cref="DbConnection.ChangeDatabase"/>, when they are no
    /// longer in use, or all sessions of the connection. Called before <see cref="Inner"/> is disposed or changes the database
    /// again.
    /// </summary>
    public void CloseSessions(bool forGood)
    {
        if (_resetsWithoutRoundTrip)
        {
            _profile.ReleaseSessions(Inner, forGood);
        }
    }

    /// <summary>Called before the database is changed through the provider.</summary>
    public void PrepareChange()
    {
        if (!(_resetsWithoutRoundTrip && _reset.RestoresDatabase))
        {
            Lease.Taint();
        }

        CloseSessions(forGood: false);
    }

    /// <summary>Begins an execution. A full fence: see <see cref="PooledConnection"/>.</summary>
    public void BeginUse() => Interlocked.Increment(ref _uses);

    public void EndUse()
    {
        if (IsCheckedByOpening)
        {
            _lastUse = Stopwatch.GetTimestamp();
        }

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

    /// <summary>Records a use of the session: a statement, or an operation that has no text.</summary>
    public void Touch(string? statement = null)
    {
        // Most applications execute the same few string instances repeatedly.
        if (statement is null || !ReferenceEquals(statement, _seen))
        {
            // Forgotten while the reset, which may throw, judges the next one.
            _seen = null;
            _seenIsPlain = statement is not null && Reset.IsPlain(statement);
            _seenLeavesTraces = statement is null || Reset.MayLeaveTraces(statement);
            _seenChangesSession = _seenLeavesTraces && (statement is null || Reset.MayChangeSession(statement));
            _seen = statement;
        }

        HasTraces |= _seenLeavesTraces;
        _isPlain &= _seenIsPlain;
        _mayHaveChanged |= _seenChangesSession;
    }

    /// <summary>
    /// Records a statement of a user that nothing tracks, but that reports all of them. They matter where the reset depends on
    /// them.
    /// </summary>
    public void Observe(string? statement)
    {
        if (_resetsWithoutRoundTrip)
        {
            _isObserved = true;
            Touch(statement);
        }
    }

    /// <summary>Records that a transaction is begun or ended through the provider.</summary>
    public void TouchTransaction()
    {
        HasTraces = true;
        _isPlain = false;
    }

    /// <summary>
    /// Resets the session as far as the executed statements may have changed it, and prepares it again for the next user.
    /// </summary>
    /// <returns>False if it cannot be used again.</returns>
    public async ValueTask<bool> ResetAsync(CancellationToken cancellationToken)
    {
        if (IsUnwrapped || _renewsLeases
            ? !await RenewAsync(cancellationToken).ConfigureAwait(false)
            : _mayHaveChanged || !_isTracked
                ? !await Reset.ResetAsync(Inner, Captured, cancellationToken).ConfigureAwait(false)
                : !await Reset.ResetRowsAsync(Inner, Captured, cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        if (_initialize is not null)
        {
            await _initialize(Inner, cancellationToken).ConfigureAwait(false);
        }

        return true;
    }

    /// <summary>Resets the session on the caller's stack if that needs no round trip.</summary>
    /// <remarks>
    /// Only by a reset that the provider sends along, and only after plain statements: then no transaction can be open, and the
    /// provider's close has nothing to wait for. An object that its user has obtained is replaced, which the pool does in the
    /// background.
    /// </remarks>
    public bool TryResetAtOnce()
    {
        if (WasEnlisted || IsUnwrapped || _initialize is not null || !_resetsWithoutRoundTrip || !_isPlain
            || !(_isTracked || (_isObserved && !_renewsLeases)) || HasForeignHandlers || WasClosed
            || OpenReader is not null || OpenTransaction is not null || IsBroken
            || (IsCheckedByOpening && Stopwatch.GetElapsedTime(_lastUse) > _unchecked)
            || (_mayEnlist && Transaction.Current is not null))
        {
            return false;
        }

        Inner.Close();
        Inner.Open();
        Clean();
        return true;
    }

    /// <summary>Records that the session was reset.</summary>
    public void Clean()
    {
        HasTraces = false;
        LastEnlistment = null;
        _isPlain = true;
        _mayHaveChanged = _wasClosed = _isObserved = false;
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
    /// Prevents work from beginning, and waits for abandoned work that is still in progress to end.
    /// </summary>
    public ValueTask BeginClosingAsync()
    {
        // Set before the phase, which publishes it.
        _workEnded = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return Interlocked.Exchange(ref _phase, Closing) == Working ? new ValueTask(_workEnded.Task) : default;
    }

    // Also called when the pool's own reset closes it: then the database is the one that it was opened with. Of other providers
    // than Npgsql, the database is not read here: its getter may throw once the connection is closed.
    private void OnStateChange(object sender, StateChangeEventArgs change)
    {
        if (change.CurrentState == ConnectionState.Closed)
        {
            _wasClosed = true;
            if (_resetsWithoutRoundTrip && IsOnOtherDatabase)
            {
                CloseSessions(forGood: false);
            }
        }
    }
}
