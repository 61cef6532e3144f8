using System.Data.Common;
using System.Transactions;
using Poolhouse.Data.Sessions;
using Poolhouse.Data.Wrappers;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.Data;

public partial class PooledConnection
{
    /// <summary>
    /// Enlists the open connection in a transaction until the transaction completes, even if the connection is closed before.
    /// </summary>
    /// <param name="transaction">The transaction; null tells the provider that there is none.</param>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    /// <exception cref="NotSupportedException">The provider cannot take part in transactions of System.Transactions.</exception>
    public override void EnlistTransaction(Transaction? transaction)
    {
        var physical = Enter();
        try
        {
            if (transaction is null)
            {
                physical.Inner.EnlistTransaction(transaction: null);
                _source.Enlisted.Leave(physical.Lease, physical);
            }
            else
            {
                _source.Enlisted.Enlist(physical.Lease, physical, transaction);
            }
        }
        catch (Exception failure) when (ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        var physical = EnterTransaction(isolationLevel);
        try
        {
            return Wrap(physical, physical.Inner.BeginTransaction(isolationLevel));
        }
        catch (Exception failure) when (ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }

    /// <inheritdoc/>
    protected override async ValueTask<DbTransaction> BeginDbTransactionAsync(
        IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var physical = EnterTransaction(isolationLevel);
        try
        {
            var inner = await physical.Inner.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false);
            return Wrap(physical, inner);
        }
        catch (Exception failure) when (ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }

    // Some providers reuse one transaction object: a wrapper of an earlier transaction must not act on this one.
    private PooledTransaction Wrap(PhysicalConnection physical, DbTransaction inner)
    {
        while (physical.Bound.First<PooledTransaction, DbTransaction>(
            static (transaction, inner) => transaction.Inner == inner, inner) is { } earlier)
        {
            earlier.Forget();
            physical.Bound.Remove(earlier);
        }

        var transaction = new PooledTransaction(this, physical, inner);
        physical.Bound.Add(transaction);
        return transaction;
    }

    /// <summary>The lease that was parked with the transaction, or a new one, which joins it.</summary>
    private Lease<PhysicalConnection> RentWithin(Transaction transaction)
    {
        if (_source.Enlisted.TryTake(transaction, out var lease))
        {
            try
            {
                LeftOpen(lease)?.Reader.Dispose();
                return lease;
            }
            catch
            {
                lease.Discard();
                throw;
            }
        }

        return Join(DbRentTranslator.Rent(_source.Pool, _source.Reporter, CancellationToken.None), transaction);
    }

    private async ValueTask<Lease<PhysicalConnection>> RentWithinAsync(
        Transaction transaction, CancellationToken cancellationToken)
    {
        if (_source.Enlisted.TryTake(transaction, out var lease))
        {
            try
            {
                if (LeftOpen(lease) is { } reader)
                {
                    await reader.Reader.DisposeAsync().ConfigureAwait(false);
                }

                return lease;
            }
            catch
            {
                lease.Discard();
                throw;
            }
        }

        return Join(await DbRentTranslator.RentAsync(_source.Pool, _source.Reporter, cancellationToken).ConfigureAwait(false), transaction);
    }

    private Lease<PhysicalConnection> Join(Lease<PhysicalConnection> lease, Transaction transaction)
    {
        var physical = lease.Value;
        physical.Touch();
        try
        {
            _source.Enlisted.Enlist(lease, physical, transaction);
            return lease;
        }
        catch
        {
            lease.Dispose();
            throw;
        }
    }

    private bool TryPark(PhysicalConnection physical, TransactionEnlistment enlistment)
    {
        if (!physical.IsBroken && _source.Enlisted.TryPark(enlistment))
        {
            return true;
        }

        physical.Enlistment = null;
        return false;
    }

    private static OpenReader? LeftOpen(Lease<PhysicalConnection> parked)
    {
        var physical = parked.Value;
        var reader = physical.OpenReader;
        physical.OpenReader = null;
        return reader;
    }
}
