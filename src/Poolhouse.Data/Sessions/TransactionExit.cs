using System.Data.Common;

namespace Poolhouse.Data.Sessions;

/// <summary>Waits until a provider has left a transaction of System.Transactions that has completed.</summary>
// Npgsql reports its commit, after which the transaction completes and the lease ends, before it releases the transaction: it
// still disposes its own transaction, an object that the connection's next transaction reuses, and a close in between keeps the
// session for the completed transaction, indefinitely and without a reset. It does not signal when it is done, but it ignores a
// transaction that it is enlisted in and refuses one that has completed.
// It polls because there is no event to wait for. TransactionCompleted is raised before Npgsql has finished, and an enlistment of
// the pool itself, which would be notified after Npgsql's, turns it into a two-phase transaction, which Npgsql prepares
// at the server.
internal static class TransactionExit
{
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(1);

    // It attempts the rollback of a running statement every half second.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);

    /// <returns>
    /// False if it did not leave: a statement ran during the commit, and leaving failed. Then the connection can only be
    /// closed.
    /// </returns>
    public static async ValueTask<bool> WaitAsync(
        DbConnection connection, TransactionEnlistment enlistment, TimeProvider time, CancellationToken cancellationToken)
    {
        if (!LeavesLate(connection))
        {
            return true;
        }

        await enlistment.Completion.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        var since = time.GetTimestamp();
        while (IsEnlisted(connection, enlistment))
        {
            if (time.GetElapsedTime(since) > _patience)
            {
                Forget(connection);
                return false;
            }

            await Task.Delay(_pause, time, cancellationToken).ConfigureAwait(false);
        }

        return true;
    }

    /// <summary>
    /// Called when a connection could not join a transaction: Npgsql remembers it all the same, and a close would keep the
    /// session for it.
    /// </summary>
    // A transaction that it is enlisted in and that is still active is not affected: it refuses to leave that one.
    public static void ForgetRefused(DbConnection connection)
    {
        if (LeavesLate(connection))
        {
            Forget(connection);
        }
    }

    private static bool LeavesLate(DbConnection connection) =>
        DbProviderProfile.For(connection.GetType()).LeavesTransactionsLate;

    private static bool IsEnlisted(DbConnection connection, TransactionEnlistment enlistment)
    {
        if (connection.State != System.Data.ConnectionState.Open)
        {
            return false;
        }

#pragma warning disable CA1031 // Whatever it is, it is the refusal.
        try
        {
            connection.EnlistTransaction(enlistment.Transaction);
            return true;
        }
        catch (Exception)
        {
            // The refused transaction is remembered as the current one.
            Forget(connection);
            return false;
        }
#pragma warning restore CA1031
    }

    private static void Forget(DbConnection connection)
    {
#pragma warning disable CA1031 // It may be closed meanwhile, or busy: then it is destroyed.
        try
        {
            connection.EnlistTransaction(transaction: null);
        }
        catch (Exception)
        {
            // See above.
        }
#pragma warning restore CA1031
    }
}
