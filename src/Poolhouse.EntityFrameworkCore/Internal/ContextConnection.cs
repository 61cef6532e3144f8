using System.Data;
using System.Data.Common;
using System.Transactions;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data.Sessions;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// Replaces the connection of a context by a rented one while the context has it open. One instance per context.
/// </summary>
// Not concurrent, like a context. ContextInterceptor forwards the events of Entity Framework.
// Invariants
//   while _lease is not null, the context's connection is the rented one; otherwise it is _home or _lost, which is closed
//   _home is the context's own connection, or one whose lease was another context's and is over: the context joined that one's
//   transaction
//   every end of an opening (closing, failing, resetting, disposing the context) ends the lease or parks it with its transaction
// Order
//   the context gets its own connection back before the lease ends: a rollback on the way is done by the owner of the
//   lease
// Why Entity Framework does not own the rented connection: it would close it when a pooled context is reset, and dispose the one
// it replaces.
internal sealed class ContextConnection(IServiceProvider services, ConnectionSource source, ContextSettings options)
    : IResettableService, IDisposable, IAsyncDisposable
{
    private readonly OwnConnectionString _string = new(isConfigured: options.HasConnectionString);
    private readonly ContextScopes _scopes = new();
    private ConnectionSettings? _settings;
    private DbConnection? _own;
    private DbConnection? _home;
    private ContextLease? _lease;
    private DbConnection? _lost;
    private int _bypasses;
    private bool _isSwapping;
    private bool _isExecuting;

    // Resolved late: Entity Framework's connection itself needs the interceptors.
    private IRelationalConnection Relational => field ??= services.GetRequiredService<IRelationalConnection>();

    /// <summary>Makes the context open its own connection.</summary>
    public T Bypass<T>(Func<T> operation)
    {
        BeginBypass();
        try
        {
            return operation();
        }
        finally
        {
            EndBypass();
        }
    }

    /// <inheritdoc cref="Bypass"/>
    public async Task<T> BypassAsync<T>(Func<Task<T>> operation)
    {
        BeginBypass();
        try
        {
            return await operation().ConfigureAwait(false);
        }
        finally
        {
            EndBypass();
        }
    }

    public void ClearPool() => source.Clear();

    /// <summary>Called when the application has obtained the context's connection.</summary>
    public void Expose()
    {
        if (_lease is { } lease)
        {
            lease.IsExposed = true;
        }
        else
        {
            ForgetLost();
        }
    }

    /// <summary>
    /// Called when the application asks for the context's connection, or gets or sets its string: a lost one is not shown.
    /// </summary>
    // Not in a transaction, which Entity Framework would dispose, and not if the application has opened the connection again.
    public void ForgetLost()
    {
        if (_bypasses == 0 && _lost is { State: not ConnectionState.Open } && Relational.CurrentTransaction is null)
        {
            Detach();
        }
    }

    /// <summary>Called when the application is about to set the context's connection.</summary>
    public void BeginSetting(DbConnection? connection)
    {
        if (_lease is { } own && !ReferenceEquals(connection, own.Connection))
        {
            throw new InvalidOperationException("The context's connection cannot be changed while it is open. Close it first.");
        }

        _string.Forget();
        if (connection is not null && RentedConnections.IsOne(connection, out var lease) && lease is not null)
        {
            lease.IsExposed = true;
        }
    }

    /// <summary>Called when the application has set the context's connection, which Entity Framework may refuse.</summary>
    public void EndSetting(DbConnection? connection)
    {
        if (!ReferenceEquals(connection, _lost))
        {
            _lost = null;
        }
    }

    /// <summary>Called when the application has set the context's connection string.</summary>
    public void NoteString() => _string.Forget();

    /// <summary>Called when the application has opened the context's connection, which may have been open already.</summary>
    // If it was, Entity Framework enlists it in the transaction of the current scope without an event.
    public void NoteOpened()
    {
        if (_lease is { } lease)
        {
            NoteTransaction(lease);
        }
    }

    /// <summary>Called when a context is returned to a pool of contexts, perhaps with its connection open.</summary>
    // The scopes are cleared after the close, which records its scope. The context's own connection may have been opened by the
    // application: Entity Framework closes it only if it owns it, which it does not after the context has rented.
    public void ResetState()
    {
        try
        {
            Close();
        }
        finally
        {
            _scopes.Clear();
            if (_own is { State: not ConnectionState.Closed } own)
            {
                own.Close();
            }
        }
    }

    public async Task ResetStateAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await CloseAsync().ConfigureAwait(false);
        }
        finally
        {
            _scopes.Clear();
            if (_own is { State: not ConnectionState.Closed } own)
            {
                await own.CloseAsync().ConfigureAwait(false);
            }
        }
    }

    /// <summary>
    /// Called when the context is disposed, perhaps with its connection open. Entity Framework has already rolled back.
    /// </summary>
    public void Dispose()
    {
        if (Leave() is { } lease)
        {
            GiveBack(lease);
        }

        _own?.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        if (Leave() is { } lease)
        {
            await GiveBackAsync(lease).ConfigureAwait(false);
        }

        if (_own is not null)
        {
            await _own.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Whether the context's connection is being exchanged, so that Entity Framework must not dispose the previous one.
    /// </summary>
    public bool IsSwapping => _isSwapping;

    /// <summary>Records the context's own connection.</summary>
    public void NoteOwn(Guid connectionId, DbConnection connection)
    {
        if (connectionId == Relational.ConnectionId)
        {
            _own = connection;
        }
    }

    /// <summary>Rents a connection and sets it on the context.</summary>
    public void Open(DbConnection connection)
    {
        BeginOpening(connection);
        Attach(source.TakeParked(Transaction.Current) ?? source.Rent());
    }

    /// <inheritdoc cref="Open"/>
    public async Task OpenAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        // Before anything begins, and as the exception that the provider throws: the pool's would be a TaskCanceledException.
        cancellationToken.ThrowIfCancellationRequested();
        BeginOpening(connection);
        Attach(source.TakeParked(Transaction.Current) ?? await source.RentAsync(cancellationToken).ConfigureAwait(false));
    }

    /// <summary>
    /// The interceptors of the application have had their turn before the opening; after it, theirs is still to come.
    /// </summary>
    public void EndOpening()
    {
        var settings = _settings;
        _settings = null;
        if (settings?.Undo() is { } changed)
        {
            throw new InvalidOperationException(
                $"An interceptor changed {changed} in ConnectionOpening, but a connection of pool '{source.Name}' is open " +
                "already. Configure the connections of the pool instead: on its data source, or with DbPoolOptions.Credentials.");
        }
    }

    /// <summary>Whether this is the connection that the context has rented.</summary>
    public bool IsRented(DbConnection connection) => ReferenceEquals(connection, _lease?.Connection);

    /// <summary>Returns the rented connection.</summary>
    public void Close()
    {
        if (Detach() is { } lease)
        {
            GiveBack(lease);
        }
    }

    /// <inheritdoc cref="Close"/>
    public async ValueTask CloseAsync()
    {
        if (Detach() is { } lease)
        {
            await GiveBackAsync(lease).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Handles a rented connection that an interceptor of the application rejected: it may have been changed, and will not be
    /// closed.
    /// </summary>
    public void DropRefused(DbConnection connection)
    {
        if (_lease is { } lease && ReferenceEquals(connection, lease.Connection))
        {
            lease.Taint();
            Detach();
            GiveBack(lease);
        }
    }

    /// <summary>
    /// The connection on which to create a command instead of the given one, which was lost; null for any other connection.
    /// </summary>
    // The provider may refuse to create a command on a connection that is disposed, and BeginCommand moves the command once
    // another one is rented, which Entity Framework does not ask for while the lost one is open: the application opened it again.
    public DbConnection? ReplacementFor(DbConnection connection) =>
        _bypasses == 0 && ReferenceEquals(connection, _lost) && connection.State is not ConnectionState.Open ? _home : null;

    /// <summary>Called when the context is about to execute a command.</summary>
    // Entity Framework creates a command before it opens the connection: the command belongs to the closed one and is moved.
    public void BeginCommand(DbCommand command)
    {
        if (_lease is { } lease)
        {
            if (lease.Enlisted is { } joined)
            {
                TransactionJoin.ThrowIfAborted(lease.Connection, joined);
            }

            if (ReferenceEquals(command.Connection, _home))
            {
                command.Connection = lease.Connection;
            }

            _isExecuting = true;
            NoteTransaction(lease);
            if (options.IsObservable)
            {
                lease.Observe(command.CommandType == CommandType.Text ? command.CommandText : null);
            }
        }
        else
        {
            RentedConnections.NoteUse(command.Connection);
        }
    }

    /// <summary>Called when the context is about to begin a transaction with an isolation level, which may stay.</summary>
    public void BeginTransaction()
    {
        if (options.IsObservable)
        {
            _lease?.Observe(statement: null);
        }
    }

    /// <summary>Called when a command of the context was executed.</summary>
    public void EndCommand() => _isExecuting = false;

    /// <summary>Called when a command of the context has returned a reader.</summary>
    public void EndCommand(DbDataReader reader)
    {
        EndCommand();
        if (_lease is { } lease)
        {
            lease.Reader = reader;
        }
    }

    /// <summary>Called when a command of the context failed or was cancelled.</summary>
    public void Report(DbCommand command, Exception exception)
    {
        if (_lease is { } lease && ReferenceEquals(command.Connection, lease.Connection))
        {
            lease.Report(exception);
            _isExecuting = false;
            DropIfLost();
            if (exception is InvalidCastException)
            {
                throw new InvalidCastException(
                    $"A connection of pool '{source.Name}' cannot convert a value. Types that the context maps, for instance with " +
                    "MapEnum, must also be mapped by the data source of the pool: create the pool over that data source.",
                    exception);
            }
        }
    }

    /// <summary>Called when the application enlists the context's connection in a transaction.</summary>
    // The enlistment is recorded at once: the connection may be closed before the context executes another command.
    public void Enlist(ITransactionEnlistmentManager manager, Transaction? transaction)
    {
        if (_lease is not { } lease || transaction is null)
        {
            manager.EnlistTransaction(transaction);
            return;
        }

        ContextEnlistment.Enlist(lease, manager, transaction);
        NoteTransaction(lease);
    }

    /// <summary>Called when the context uses a transaction of the application.</summary>
    public void UseTransactionOf(DbConnection connection)
    {
        if (_lease is null)
        {
            RentedConnections.NoteUse(connection);
        }
    }

    /// <summary>Called when a transaction of the context failed.</summary>
    public void ReportTransaction(Guid connectionId, Exception exception)
    {
        if (_lease is { } lease && connectionId == Relational.ConnectionId)
        {
            lease.Report(exception);
            DropIfLost();
        }
    }

    /// <summary>
    /// Whether opening this connection rents. Connections that the application set are used unchanged.
    /// </summary>
    public bool Rents(DbConnection connection, Guid connectionId) =>
        _bypasses == 0 && connectionId == Relational.ConnectionId
        && (ReferenceEquals(connection, _own) || ReferenceEquals(connection, _lease?.Connection)
        || ReferenceEquals(connection, _lost) || RentedConnections.IsOver(connection));

    private void BeginBypass()
    {
        if (_bypasses == 0 && _lease is null)
        {
            // A lost connection is disposed sooner or later: the context's own one takes its place.
            Detach();
            _string.Record(Relational);
        }

        _bypasses++;
    }

    private void EndBypass()
    {
        if (--_bypasses == 0 && _lease is null && _own is not null && ReferenceEquals(Relational.DbConnection, _own))
        {
            _string.Restore(Relational);
        }
    }

    private void BeginOpening(DbConnection connection)
    {
        DropLost();
        _scopes.ThrowIfOneIsPending();
        if (options.IsIntercepted)
        {
            _settings = ConnectionSettings.Of(connection);
        }
    }

    private void Attach(ContextLease lease)
    {
        try
        {
            if (_lost is null)
            {
                // First, because this creates the connection if there is none.
                _home = Relational.DbConnection;
                _string.Record(Relational);
            }

            source.ThrowIfOtherDatabase(_home, lease.Connection);
            Show(lease.Connection);
        }
        catch
        {
            lease.End();
            throw;
        }

        try
        {
            ContextEnlistment.JoinScope(lease, Relational);
        }
        catch
        {
            try
            {
                _lost = null;
                ShowHome();
            }
            finally
            {
                lease.End();
            }

            throw;
        }

        (_lease, _lost, _isExecuting) = (lease, null, false);
        lease.Connection.StateChange += OnStateChange;
        NoteTransaction(lease);
    }

    /// <summary>Restores the context's own connection.</summary>
    /// <returns>The lease of the rented one, if it was not lost.</returns>
    private ContextLease? Detach()
    {
        var lease = _lease;
        if (lease is null && _lost is null)
        {
            return null;
        }

        if (lease is not null)
        {
            NoteTransaction(lease);
            lease.Connection.StateChange -= OnStateChange;
        }

        (_lease, _lost) = (null, null);
        try
        {
            ShowHome();
        }
        catch
        {
            // The provider may refuse to restore what the application did to the context's own connection.
            if (lease is not null)
            {
                GiveBack(lease);
            }

            throw;
        }

        return lease;
    }

    /// <summary>Called at the end of the context, which needs no connection any more.</summary>
    private ContextLease? Leave()
    {
        var lease = _lease;
        _lease = null;
        if (lease is not null)
        {
            lease.Connection.StateChange -= OnStateChange;
        }

        return lease;
    }

    /// <summary>
    /// Called for a broken connection, which is already closed: Entity Framework does not raise a closing event for it.
    /// </summary>
    private void DropIfLost()
    {
        if (_lease?.Connection.State is ConnectionState.Closed)
        {
            DropLost();
        }
    }

    /// <summary>
    /// A connection that breaks during a read causes no other event. While a command executes, its failure is reported
    /// first.
    /// </summary>
    private void OnStateChange(object sender, StateChangeEventArgs change)
    {
        if (!_isExecuting && ReferenceEquals(sender, _lease?.Connection))
        {
            DropIfLost();
        }
    }

    private void DropLost()
    {
        if (_lease is { } lease)
        {
            (_lease, _lost) = (null, lease.Connection);
            lease.Connection.StateChange -= OnStateChange;
            lease.Taint();
            lease.End();
        }
    }

    private void GiveBack(ContextLease lease)
    {
        if (lease.Enlisted is not { } transaction || !lease.TryCloseReader() || !source.TryPark(lease, transaction))
        {
            lease.End();
        }
    }

    private async ValueTask GiveBackAsync(ContextLease lease)
    {
        if (lease.Enlisted is not { } transaction || !await lease.TryCloseReaderAsync().ConfigureAwait(false)
            || !source.TryPark(lease, transaction))
        {
            await lease.EndAsync().ConfigureAwait(false);
        }
    }

    private void ShowHome()
    {
        Show(_home!);
        _string.Restore(Relational);
    }

    private void Show(DbConnection connection)
    {
        // Entity Framework resets its state when a new connection is set, including what belongs to the context.
        var timeout = Relational.CommandTimeout;
        _isSwapping = true;
        try
        {
            Relational.SetDbConnection(connection, contextOwnsConnection: false);
        }
        finally
        {
            _isSwapping = false;
        }

        Relational.CommandTimeout = timeout;
    }

    private void NoteTransaction(ContextLease lease) => ContextEnlistment.Note(lease, Relational, _scopes);
}
