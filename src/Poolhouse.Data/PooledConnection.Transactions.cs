using System.Data;
using System.Data.Common;

namespace Poolhouse.Data;

public sealed partial class PooledConnection
{
    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        var physical = Enter();
        try
        {
            return Wrap(physical, physical.Inner.BeginTransaction(isolationLevel));
        }
        catch (Exception failure) when (Saw(failure))
        {
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <inheritdoc/>
    protected override async ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var physical = Enter();
        try
        {
            return Wrap(physical, await physical.Inner.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false));
        }
        catch (Exception failure) when (Saw(failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            Leave();
        }
    }

    // Some providers use one transaction object again and again: a wrapper of an earlier transaction must not act on this one.
    private PooledTransaction Wrap(PhysicalConnection physical, DbTransaction inner)
    {
        while (FirstBound<PooledTransaction, DbTransaction>(static (transaction, inner) => transaction.Inner == inner, inner) is { } earlier)
        {
            earlier.Forget();
            Unbind(earlier);
        }

        var transaction = new PooledTransaction(this, physical, inner);
        Bind(transaction);
        return transaction;
    }
}
