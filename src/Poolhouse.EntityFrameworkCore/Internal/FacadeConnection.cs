using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Transactions;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// A context's connection service as the application sees it: a caller that gets the connection or its transaction may keep it.
/// </summary>
internal sealed class FacadeConnection(IRelationalConnection inner, ContextConnection context)
    : IRelationalConnection, ITransactionEnlistmentManager
{
#pragma warning disable CA2213 // It is the application's.
    private FacadeTransaction? _current;
#pragma warning restore CA2213

    [AllowNull]
    public DbConnection DbConnection
    {
        get
        {
            context.Expose();
            return inner.DbConnection;
        }
        set => SetDbConnection(value, contextOwnsConnection: false);
    }

    public string? ConnectionString
    {
        get
        {
            context.ForgetLost();
            return inner.ConnectionString;
        }
        set
        {
            context.ForgetLost();
            inner.ConnectionString = value;
            context.NoteString();
        }
    }

    public DbContext Context => inner.Context;

    public Guid ConnectionId => inner.ConnectionId;

    public int? CommandTimeout
    {
        get => inner.CommandTimeout;
        set => inner.CommandTimeout = value;
    }

    public IDbContextTransaction? CurrentTransaction => Show(inner.CurrentTransaction);

    public Transaction? CurrentAmbientTransaction => Manager.CurrentAmbientTransaction;

    public Transaction? EnlistedTransaction => Manager.EnlistedTransaction;

    private ITransactionEnlistmentManager Manager => (ITransactionEnlistmentManager)inner;

    public void EnlistTransaction(Transaction? transaction) => context.Enlist(Manager, transaction);

    public void SetDbConnection(DbConnection? value, bool contextOwnsConnection)
    {
        context.BeginSetting(value);
        inner.SetDbConnection(value, contextOwnsConnection);
        context.EndSetting(value);
    }

    public bool Open(bool errorsExpected = false)
    {
        var wasOpened = inner.Open(errorsExpected);
        context.NoteOpened();
        return wasOpened;
    }

    public async Task<bool> OpenAsync(CancellationToken cancellationToken, bool errorsExpected = false)
    {
        var wasOpened = await inner.OpenAsync(cancellationToken, errorsExpected).ConfigureAwait(false);
        context.NoteOpened();
        return wasOpened;
    }

    public bool Close() => inner.Close();

    public Task<bool> CloseAsync() => inner.CloseAsync();

    public IRelationalCommand RentCommand() => inner.RentCommand();

    public void ReturnCommand(IRelationalCommand command) => inner.ReturnCommand(command);

    public IDbContextTransaction BeginTransaction() => Show(inner.BeginTransaction());

    public async Task<IDbContextTransaction> BeginTransactionAsync(CancellationToken cancellationToken = default) =>
        Show(await inner.BeginTransactionAsync(cancellationToken).ConfigureAwait(false));

    public IDbContextTransaction BeginTransaction(IsolationLevel isolationLevel) => Show(inner.BeginTransaction(isolationLevel));

    public async Task<IDbContextTransaction> BeginTransactionAsync(
        IsolationLevel isolationLevel, CancellationToken cancellationToken = default) =>
        Show(await inner.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false));

    public IDbContextTransaction? UseTransaction(DbTransaction? transaction) => Show(inner.UseTransaction(transaction));

    public IDbContextTransaction? UseTransaction(DbTransaction? transaction, Guid transactionId) =>
        Show(inner.UseTransaction(transaction, transactionId));

    public async Task<IDbContextTransaction?> UseTransactionAsync(
        DbTransaction? transaction, CancellationToken cancellationToken = default) =>
        Show(await inner.UseTransactionAsync(transaction, cancellationToken).ConfigureAwait(false));

    public async Task<IDbContextTransaction?> UseTransactionAsync(
        DbTransaction? transaction, Guid transactionId, CancellationToken cancellationToken = default) =>
        Show(await inner.UseTransactionAsync(transaction, transactionId, cancellationToken).ConfigureAwait(false));

    public void CommitTransaction() => inner.CommitTransaction();

    public Task CommitTransactionAsync(CancellationToken cancellationToken = default) =>
        inner.CommitTransactionAsync(cancellationToken);

    public void RollbackTransaction() => inner.RollbackTransaction();

    public Task RollbackTransactionAsync(CancellationToken cancellationToken = default) =>
        inner.RollbackTransactionAsync(cancellationToken);

    public void ResetState() => inner.ResetState();

    public Task ResetStateAsync(CancellationToken cancellationToken = default) => inner.ResetStateAsync(cancellationToken);

    public void Dispose() => inner.Dispose();

    public ValueTask DisposeAsync() => inner.DisposeAsync();

    // The same object each time, as without a pool.
    [return: NotNullIfNotNull(nameof(transaction))]
    private FacadeTransaction? Show(IDbContextTransaction? transaction)
    {
        if (transaction is null)
        {
            return null;
        }

        if (_current is null || !_current.Is(transaction))
        {
            _current = new FacadeTransaction(transaction, context);
        }

        return _current;
    }
}
