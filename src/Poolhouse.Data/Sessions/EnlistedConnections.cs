using System.Transactions;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Data.Sessions;

/// <summary>The connections of a data source that take part in transactions of System.Transactions.</summary>
// Purpose: the work of a connection in a transaction belongs to that transaction until it completes. If the connection went
// back to the pool when it is closed inside the scope, its reset would undo the work, and a second open would be a second
// participant, which makes the transaction a distributed one. So a lease that is enlisted does not end when its wrapper is
// closed: it is parked, the next open inside the same transaction continues it, and it ends when the transaction completes.
// Invariants
//   an enlistment is in _parked exactly while no wrapper has its connection and its transaction has not completed
//   its lease is ended once: by the completion if it is parked then, otherwise by the wrapper that has it (IsOver)
// Locks: _gate, for _parked and the flags of enlistments. The provider, the pool and System.Transactions are called outside it.
internal sealed class EnlistedConnections
{
    private readonly Gate _gate = new();
    private readonly Dictionary<Transaction, List<TransactionEnlistment>> _parked = [];

    /// <summary>Continues the lease of a connection that was closed inside a transaction.</summary>
    public bool TryTake(Transaction transaction, out Lease<PhysicalConnection> lease)
    {
        using (_gate.Enter())
        {
            if (_parked.TryGetValue(transaction, out var parked))
            {
                lease = Remove(parked[^1], parked);
                return true;
            }
        }

        lease = default;
        return false;
    }

    /// <summary>Enlists a leased connection in a transaction.</summary>
    /// <exception cref="NotSupportedException">The provider cannot.</exception>
    // Npgsql joins a transaction and then begins its own one for it. If that fails, because the user has begun one, it remains in
    // the transaction and refuses to leave it: the connection would refuse the scope of its next user, or end that user's work
    // with the transaction. So a connection whose provider failed to join is not leased again.
    public void Enlist(Lease<PhysicalConnection> lease, PhysicalConnection physical, Transaction transaction)
    {
        var isEnlisted = physical.Enlistment is not null;
        var isAttempted = false;
        try
        {
            TransactionJoin.ThrowIfEnded(physical.Inner, isEnlisted, transaction);
            isAttempted = true;
            physical.Inner.EnlistTransaction(transaction);
        }
        catch (Exception failure)
        {
            // Providers that can enlist also throw it, for example for an isolation level that they do not support.
            if (failure is NotSupportedException
                && !(isAttempted && (isEnlisted || TransactionJoin.IsSupported(physical.Inner))))
            {
                throw new NotSupportedException(
                    "The provider does not support transactions of System.Transactions. Open the connection outside the " +
                    "TransactionScope, or set DbPoolOptions.Enlist to false; its commands are then not part of the transaction.",
                    failure);
            }

            // It may have begun a transaction of its own, and may remember the one that it could not join.
            physical.Touch();
            if (isAttempted)
            {
                lease.Taint();
            }

            TransactionExit.ForgetRefused(physical.Inner);
            throw;
        }

        if (physical.Enlistment is { IsOver: false } known)
        {
            if (known.Transaction == transaction)
            {
                return;
            }

            // It left a transaction that continues and may still affect the connection.
            Leave(lease, physical);
        }

        var enlistment = new TransactionEnlistment(transaction, lease);
        (physical.Enlistment, physical.LastEnlistment) = (enlistment, enlistment);
        try
        {
            transaction.TransactionCompleted += (_, completed) => Complete(enlistment, completed.Transaction);
        }
        catch (ObjectDisposedException)
        {
            // Completed and disposed meanwhile.
            Complete(enlistment, transaction: null);
        }
    }

    /// <summary>
    /// A connection that is in use left its transaction before that completed: it is destroyed after the lease.
    /// </summary>
    public void Leave(Lease<PhysicalConnection> lease, PhysicalConnection physical)
    {
        if (physical.Enlistment is { } enlistment)
        {
            physical.Enlistment = null;
            using (_gate.Enter())
            {
                if (enlistment.IsOver)
                {
                    return;
                }

                enlistment.IsOver = true;
            }

            lease.Taint();
        }
    }

    /// <summary>
    /// Keeps the lease of a connection whose wrapper is being closed, or returns false: then the wrapper ends it.
    /// </summary>
    public bool TryPark(TransactionEnlistment enlistment)
    {
        using (_gate.Enter())
        {
            if (enlistment.IsOver)
            {
                return false;
            }

            if (!_parked.TryGetValue(enlistment.Transaction, out var parked))
            {
                _parked.Add(enlistment.Transaction, parked = []);
            }

            parked.Add(enlistment);
            return true;
        }
    }

    private void Complete(TransactionEnlistment enlistment, Transaction? transaction)
    {
        enlistment.Completion.TrySetResult();
        using (_gate.Enter())
        {
            enlistment.IsOver = true;
            if (!_parked.TryGetValue(enlistment.Transaction, out var parked) || !parked.Contains(enlistment))
            {
                return;
            }

            Remove(enlistment, parked);
        }

        enlistment.Lease.Value.Enlistment = null;
        if (transaction?.TransactionInformation.Status == TransactionStatus.InDoubt)
        {
            enlistment.Lease.Taint();
        }

        enlistment.Lease.Dispose();
    }

    private Lease<PhysicalConnection> Remove(TransactionEnlistment enlistment, List<TransactionEnlistment> parked)
    {
        parked.Remove(enlistment);
        if (parked.Count == 0)
        {
            _parked.Remove(enlistment.Transaction);
        }

        return enlistment.Lease;
    }
}
