using System.Data.Common;
using System.Runtime.CompilerServices;
using System.Transactions;
using Poolhouse.Data;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>A pool as contexts see it, whatever the type of its connections. One for each pool.</summary>
// Invariants
//   a lease is in _parked exactly while no context has it and its transaction may still be active
//   a lease in _parked is given to one context, or ended by the completion of its transaction: the code that removes it owns it
// Order of writes
//   Park adds the lease before it subscribes to the completion. A completed transaction raises the event at once, so the lease is
//   found and ended.
// Locks
//   _gate guards _parked; no user code runs under it
internal abstract class ConnectionSource
{
    private readonly Gate _gate = new();
    private readonly Dictionary<Transaction, Stack<ContextLease>> _parked = [];

    public abstract string Name { get; }

    public static ConnectionSource Of<TConnection>(DbConnectionPool<TConnection> pool)
        where TConnection : DbConnection => Sources<TConnection>.Of(pool);

    public abstract ContextLease Rent();

    public abstract ValueTask<ContextLease> RentAsync(CancellationToken cancellationToken);

    public abstract void Clear();

    /// <summary>Throws if a rented connection leads to another database than the context's own.</summary>
    public void ThrowIfOtherDatabase(DbConnection? own, DbConnection rented)
    {
        if (own is { Database: { Length: > 0 } expected } && rented.Database is { Length: > 0 } actual
            && !string.Equals(expected, actual, StringComparison.OrdinalIgnoreCase))
        {
            throw new InvalidOperationException(
                "The context's connection string specifies a different database than the connections of pool " +
                $"'{Name}'. Use one pool per database.");
        }
    }

    /// <summary>Returns the parked connection that is enlisted in a transaction.</summary>
    public ContextLease? TakeParked(Transaction? transaction)
    {
        if (transaction is null)
        {
            return null;
        }

        using (_gate.Enter())
        {
            return _parked.TryGetValue(transaction, out var leases) && leases.TryPop(out var lease) ? lease : null;
        }
    }

    /// <summary>Keeps a connection that is enlisted until its transaction has completed.</summary>
    /// <returns>False if it has completed already.</returns>
    public bool TryPark(ContextLease lease, Transaction transaction)
    {
        if (!IsActive(transaction))
        {
            return false;
        }

        bool isFirst;
        using (_gate.Enter())
        {
            isFirst = !_parked.TryGetValue(transaction, out var leases);
            if (isFirst)
            {
                leases = new Stack<ContextLease>();
                _parked.Add(transaction, leases);
            }

            leases!.Push(lease);
        }

        if (isFirst)
        {
            try
            {
                transaction.TransactionCompleted += (_, _) => EndParked(transaction);
            }
            catch (ObjectDisposedException)
            {
                // Completed and disposed meanwhile.
                EndParked(transaction);
            }
        }

        return true;
    }

    public static bool IsActive(Transaction transaction)
    {
        try
        {
            return transaction.TransactionInformation.Status is TransactionStatus.Active;
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    private void EndParked(Transaction transaction)
    {
        Stack<ContextLease>? leases;
        using (_gate.Enter())
        {
            _parked.Remove(transaction, out leases);
        }

        foreach (var lease in leases ?? [])
        {
            lease.End();
        }
    }

    private static class Sources<TConnection>
        where TConnection : DbConnection
    {
        private static readonly ConditionalWeakTable<DbConnectionPool<TConnection>, ConnectionSource> _sources = [];

        public static ConnectionSource Of(DbConnectionPool<TConnection> pool) =>
            _sources.GetValue(pool, static key => new ConnectionSource<TConnection>(key));
    }
}
