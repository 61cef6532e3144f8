using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>A context's connection service as the application sees it: a caller that gets the connection may keep it.</summary>
internal sealed class FacadeConnection(IRelationalConnection inner, ContextConnection context) : IRelationalConnection
{
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
        get => inner.ConnectionString;
        set => inner.ConnectionString = value;
    }

    public DbContext Context => inner.Context;

    public Guid ConnectionId => inner.ConnectionId;

    public int? CommandTimeout
    {
        get => inner.CommandTimeout;
        set => inner.CommandTimeout = value;
    }

    public IDbContextTransaction? CurrentTransaction => inner.CurrentTransaction;

    public void SetDbConnection(DbConnection? value, bool contextOwnsConnection)
    {
        context.BeginSetting(value);
        inner.SetDbConnection(value, contextOwnsConnection);
    }

    public bool Open(bool errorsExpected = false) => inner.Open(errorsExpected);

    public Task<bool> OpenAsync(CancellationToken cancellationToken, bool errorsExpected = false) =>
        inner.OpenAsync(cancellationToken, errorsExpected);

    public bool Close() => inner.Close();

    public Task<bool> CloseAsync() => inner.CloseAsync();

    public IRelationalCommand RentCommand() => inner.RentCommand();

    public void ReturnCommand(IRelationalCommand command) => inner.ReturnCommand(command);

    public IDbContextTransaction BeginTransaction() => inner.BeginTransaction();

    public Task<IDbContextTransaction> BeginTransactionAsync(CancellationToken cancellationToken = default) =>
        inner.BeginTransactionAsync(cancellationToken);

    public IDbContextTransaction BeginTransaction(IsolationLevel isolationLevel) => inner.BeginTransaction(isolationLevel);

    public Task<IDbContextTransaction> BeginTransactionAsync(
        IsolationLevel isolationLevel, CancellationToken cancellationToken = default) =>
        inner.BeginTransactionAsync(isolationLevel, cancellationToken);

    public IDbContextTransaction? UseTransaction(DbTransaction? transaction) => inner.UseTransaction(transaction);

    public IDbContextTransaction? UseTransaction(DbTransaction? transaction, Guid transactionId) =>
        inner.UseTransaction(transaction, transactionId);

    public Task<IDbContextTransaction?> UseTransactionAsync(
        DbTransaction? transaction, CancellationToken cancellationToken = default) =>
        inner.UseTransactionAsync(transaction, cancellationToken);

    public Task<IDbContextTransaction?> UseTransactionAsync(
        DbTransaction? transaction, Guid transactionId, CancellationToken cancellationToken = default) =>
        inner.UseTransactionAsync(transaction, transactionId, cancellationToken);

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
}
