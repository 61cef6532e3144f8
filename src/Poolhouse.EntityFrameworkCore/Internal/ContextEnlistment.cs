using System.Transactions;
using Microsoft.EntityFrameworkCore.Storage;
using Poolhouse.Data.Sessions;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Enlists the rented connection of a context in transactions of System.Transactions.</summary>
// A transaction that has ended is not passed to the provider: see TransactionJoin.
internal static class ContextEnlistment
{
    /// <summary>Enlists the connection in the transaction of the current scope, as the provider's own opening does.</summary>
    // Entity Framework does so too, but only when it has recorded the connection as open: if the transaction was aborted, the
    // context would then keep the connection and work on it outside of any transaction.
    public static void JoinScope(ContextLease lease, IRelationalConnection context)
    {
        var isAttempted = false;
        try
        {
            if (context is ITransactionEnlistmentManager { CurrentAmbientTransaction: { } ambient })
            {
                TransactionJoin.ThrowIfEnded(lease.Connection, isEnlisted: lease.Enlisted is not null, ambient);
                isAttempted = true;
                lease.Connection.EnlistTransaction(ambient);
            }
        }
        catch (NotSupportedException refusal) when (refusal is not PlatformNotSupportedException
            && !(isAttempted && (lease.Enlisted is not null || TransactionJoin.IsSupported(lease.Connection))))
        {
            // The provider cannot enlist, and Entity Framework logs a warning. A provider that can enlist also throws this
            // exception, for example for an isolation level that it does not support.
        }
        catch when (isAttempted)
        {
            lease.ForgetRefused();
            throw;
        }
    }

    /// <summary>Enlists the connection in a transaction of the application.</summary>
    public static void Enlist(ContextLease lease, ITransactionEnlistmentManager context, Transaction transaction)
    {
        try
        {
            TransactionJoin.ThrowIfEnded(lease.Connection, isEnlisted: lease.Enlisted is not null, transaction);
        }
        catch (NotSupportedException refusal) when (refusal is not PlatformNotSupportedException)
        {
            // The provider cannot enlist. Entity Framework reports it, by default with an exception.
        }

        try
        {
            context.EnlistTransaction(transaction);
        }
        catch
        {
            if (lease.IsInTransaction)
            {
                // A provider that is told to forget the refused transaction might leave that one.
                lease.Taint();
            }
            else if (TransactionJoin.IsSupported(lease.Connection))
            {
                lease.ForgetRefused();
            }

            throw;
        }
    }

    /// <summary>Records the transaction of the connection, and that the context was used in the current scope.</summary>
    public static void Note(ContextLease lease, IRelationalConnection context, ContextScopes scopes)
    {
        var ambient = Ambient();
        if (!lease.IsInTransaction && context is ITransactionEnlistmentManager manager
            && (manager.EnlistedTransaction ?? (ambient is null ? null : manager.CurrentAmbientTransaction)) is { } joined)
        {
            lease.Enlist(joined);
        }

        if (lease.Enlisted is { } scope && scope == ambient)
        {
            scopes.Add(scope);
        }
    }

    /// <summary>The transaction of the current scope; null if there is none, or if it was completed but not disposed.</summary>
    private static Transaction? Ambient()
    {
        try
        {
            return Transaction.Current;
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }
}
