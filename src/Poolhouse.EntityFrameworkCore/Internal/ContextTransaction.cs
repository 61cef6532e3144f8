using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>A transaction on a rented connection.</summary>
// Invariants
//   the provider's transaction is disposed before Entity Framework closes the connection, which may end the lease, and is not
//   used afterwards: Npgsql uses the same object for the next transaction of the connection, perhaps in another caller's
//   lease (I9)
// Order: Entity Framework ends a transaction by committing it, rolling it back or disposing it; each of them calls
//   ClearTransaction, and that closes the connection.
// The provider's own kind of transaction is used for savepoints only, which not all databases have.
internal sealed class ContextTransaction(
    RelationalTransaction savepoints,
    IRelationalConnection connection,
    DbTransaction transaction,
    Guid transactionId,
    IDiagnosticsLogger<DbLoggerCategory.Database.Transaction> logger,
    ISqlGenerationHelper sql)
    : RelationalTransaction(connection, transaction, transactionId, logger, transactionOwned: false, sql)
{
#pragma warning disable CA2213 // Disposed when the transaction is cleared.
    private readonly DbTransaction _transaction = transaction;
#pragma warning restore CA2213
    private bool _isEnded;

    /// <summary>Whether the provider's transaction may belong to another lease.</summary>
    public bool IsEnded => _isEnded;

    public override bool SupportsSavepoints => savepoints.SupportsSavepoints;

    public override void Commit()
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        base.Commit();
    }

    public override Task CommitAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        return base.CommitAsync(cancellationToken);
    }

    public override void Rollback()
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        base.Rollback();
    }

    public override Task RollbackAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        return base.RollbackAsync(cancellationToken);
    }

    public override void CreateSavepoint(string name)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        savepoints.CreateSavepoint(name);
    }

    public override Task CreateSavepointAsync(string name, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        return savepoints.CreateSavepointAsync(name, cancellationToken);
    }

    public override void RollbackToSavepoint(string name)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        savepoints.RollbackToSavepoint(name);
    }

    public override Task RollbackToSavepointAsync(string name, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        return savepoints.RollbackToSavepointAsync(name, cancellationToken);
    }

    public override void ReleaseSavepoint(string name)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        savepoints.ReleaseSavepoint(name);
    }

    public override Task ReleaseSavepointAsync(string name, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isEnded, this);
        return savepoints.ReleaseSavepointAsync(name, cancellationToken);
    }

    protected override void ClearTransaction()
    {
        if (_isEnded)
        {
            return;
        }

        _isEnded = true;
        try
        {
            _transaction.Dispose();
            LogDisposal();
        }
        finally
        {
            base.ClearTransaction();
        }
    }

    protected override async Task ClearTransactionAsync(CancellationToken cancellationToken = default)
    {
        if (_isEnded)
        {
            return;
        }

        _isEnded = true;
        try
        {
            await _transaction.DisposeAsync().ConfigureAwait(false);
            LogDisposal();
        }
        finally
        {
            await base.ClearTransactionAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // Entity Framework does so only for a transaction that it owns.
    private void LogDisposal() =>
        Logger.TransactionDisposed(Connection, _transaction, TransactionId, TimeProvider.System.GetUtcNow());
}
