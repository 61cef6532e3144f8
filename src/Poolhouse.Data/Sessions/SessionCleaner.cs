namespace Poolhouse.Data.Sessions;

/// <summary>
/// Cleans a connection after a lease: open readers and transactions first, then the session.
/// </summary>
internal sealed class SessionCleaner(ConnectionCloser closer, TimeProvider time)
{
    /// <returns>False if the connection cannot be used again.</returns>
    public async ValueTask<bool> CleanAsync(PhysicalConnection connection, CancellationToken cancellationToken)
    {
        if (connection.HasForeignHandlers || (connection.WasClosed && !connection.IsUnwrapped))
        {
            return false;
        }

        var (reader, transaction) = (connection.OpenReader, connection.OpenTransaction);
        (connection.OpenReader, connection.OpenTransaction) = (null, null);
        if (connection.Reset.IsNone && (reader is not null || transaction is not null))
        {
            return false;
        }

        // A late cancel request would end the next statement.
        if (reader is not null
            && await closer.EndAsync(reader.Reader.DisposeAsync().AsTask(), reader.Cancel).ConfigureAwait(false)
            && !connection.ConfirmsCancellation)
        {
            return false;
        }

        if (transaction is not null)
        {
            // Disposing rolls back what is open, and does nothing where the server has ended it.
            await transaction.DisposeAsync().ConfigureAwait(false);
        }

        if (connection.LastEnlistment is { } enlistment)
        {
            await enlistment.Completion.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            if (!await TransactionExit.WaitAsync(connection.Inner, enlistment, time, cancellationToken).ConfigureAwait(false))
            {
                return false;
            }
        }

        if (!await connection.ResetAsync(cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        connection.Clean();
        return !connection.IsBroken && !connection.IsOnOtherDatabase;
    }
}
