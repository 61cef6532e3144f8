using System.Data.Common;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// A context's transaction as the application sees it: a caller that gets the provider's transaction may keep it, and its
/// connection.
/// </summary>
internal sealed class FacadeTransaction(IDbContextTransaction inner, ContextConnection context)
    : IDbContextTransaction, IInfrastructure<DbTransaction>
{
    public Guid TransactionId => inner.TransactionId;

    public bool SupportsSavepoints => inner.SupportsSavepoints;

    /// <summary>The provider's transaction.</summary>
    // Entity Framework itself gets it from the inner one.
    DbTransaction IInfrastructure<DbTransaction>.Instance
    {
        get
        {
            ObjectDisposedException.ThrowIf(inner is ContextTransaction { IsEnded: true }, typeof(DbTransaction));
            context.Expose();
            return inner.GetDbTransaction();
        }
    }

    /// <summary>Whether it stands for this transaction.</summary>
    public bool Is(IDbContextTransaction transaction) => ReferenceEquals(inner, transaction);

    public void Commit() => inner.Commit();

    public Task CommitAsync(CancellationToken cancellationToken = default) => inner.CommitAsync(cancellationToken);

    public void Rollback() => inner.Rollback();

    public Task RollbackAsync(CancellationToken cancellationToken = default) => inner.RollbackAsync(cancellationToken);

    public void CreateSavepoint(string name) => inner.CreateSavepoint(name);

    public Task CreateSavepointAsync(string name, CancellationToken cancellationToken = default) =>
        inner.CreateSavepointAsync(name, cancellationToken);

    public void RollbackToSavepoint(string name) => inner.RollbackToSavepoint(name);

    public Task RollbackToSavepointAsync(string name, CancellationToken cancellationToken = default) =>
        inner.RollbackToSavepointAsync(name, cancellationToken);

    public void ReleaseSavepoint(string name) => inner.ReleaseSavepoint(name);

    public Task ReleaseSavepointAsync(string name, CancellationToken cancellationToken = default) =>
        inner.ReleaseSavepointAsync(name, cancellationToken);

    public void Dispose() => inner.Dispose();

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
