using System.Data.Common;
using System.Transactions;

namespace Poolhouse.Data.Sessions;

/// <summary>Checks whether a transaction of System.Transactions still accepts participants.</summary>
// Not every provider recovers from a refused enlistment: MySqlConnector still counts the connection as enlisted, and when it is
// closed, keeps its session for good. So a transaction that has ended is not passed to the provider.
internal static class TransactionJoin
{
    /// <summary>Throws if a transaction has ended.</summary>
    /// <param name="connection">The connection that is to join.</param>
    /// <param name="isEnlisted">
    /// Whether the connection has joined a transaction: the call that detects a provider without support might leave it.
    /// </param>
    /// <param name="transaction">The transaction.</param>
    /// <exception cref="NotSupportedException">The transaction has ended, and the provider cannot enlist anyway.</exception>
    public static void ThrowIfEnded(DbConnection connection, bool isEnlisted, Transaction transaction)
    {
        try
        {
            // Also throws for a dependent transaction that was completed, while the status of the whole is Active.
            using var clone = transaction.Clone();
            if (clone.TransactionInformation.Status is not TransactionStatus.Active)
            {
                // Throws: an ended transaction has no dependents. The exception has the cause, such as a timeout.
                clone.DependentClone(DependentCloneOption.RollbackIfNotComplete).Dispose();
            }
        }
        catch when (!isEnlisted)
        {
            ThrowIfNotSupported(connection);
            throw;
        }
    }

    /// <summary>
    /// Throws if the transaction that a connection has joined was aborted, for instance by its timeout, and the caller is still
    /// in its scope: providers would commit the statement at once, outside the transaction.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="joined">The transaction that it has joined.</param>
    /// <exception cref="TransactionAbortedException">It was aborted, and is the current one.</exception>
    public static void ThrowIfAborted(DbConnection connection, Transaction joined)
    {
        if (HasAbortedCurrent(joined))
        {
            ThrowIfEnded(connection, isEnlisted: true, joined);
        }
    }

    /// <summary>Whether a provider can enlist at all.</summary>
    /// <param name="connection">A connection that has not joined a transaction: it might leave it.</param>
    public static bool IsSupported(DbConnection connection)
    {
        try
        {
            ThrowIfNotSupported(connection);
            return true;
        }
        catch (NotSupportedException)
        {
            return false;
        }
    }

    private static bool HasAbortedCurrent(Transaction joined)
    {
        try
        {
            return joined.TransactionInformation.Status is TransactionStatus.Aborted && joined == Transaction.Current;
        }
        catch (ObjectDisposedException)
        {
            // Its scope is over.
            return false;
        }
        catch (InvalidOperationException)
        {
            // The scope was completed but not disposed, so the caller is still in it.
            return true;
        }
    }

    private static void ThrowIfNotSupported(DbConnection connection)
    {
#pragma warning disable CA1031 // Any other exception is about the state of the connection, which the caller tried to enlist.
        try
        {
            connection.EnlistTransaction(transaction: null);
        }
        catch (Exception failure) when (failure is not NotSupportedException)
        {
            // The caller gets the exception of the transaction.
        }
#pragma warning restore CA1031
    }
}
