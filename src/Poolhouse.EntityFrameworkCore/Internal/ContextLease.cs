using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>A rented connection of any type, and the transaction that it is enlisted in.</summary>
// Invariants
//   a connection that the application has obtained is closed before its lease ends, and its object is left to the application,
//   which cannot execute anything on a connection that is idle or leased to another caller by then (I1, I9)
internal abstract class ContextLease
{
    private int _ended;

    protected ContextLease(DbConnection connection)
    {
        Connection = connection;
        RentedConnections.Begin(this);
    }

    public DbConnection Connection { get; }

    /// <summary>The last System.Transactions transaction of the connection, as far as it is known.</summary>
    public Transaction? Enlisted { get; private set; }

    /// <summary>Whether that transaction has not completed. The connection may join another one afterwards.</summary>
    public bool IsInTransaction => Enlisted is { } transaction && ConnectionSource.IsActive(transaction);

    /// <summary>
    /// Whether the application, or a context that did not rent it, may have kept the connection or an open reader of it.
    /// </summary>
    public bool IsExposed { get; set; }

    /// <summary>Records the transaction that the connection has joined, and reports it to the pool.</summary>
    public void Enlist(Transaction transaction)
    {
        Enlisted = transaction;
        ReportEnlistment(transaction);
    }

    /// <summary>The reader of the last query, which may be open.</summary>
    public DbDataReader? Reader { get; set; }

    /// <summary>
    /// Closes a reader that was left open, as the provider's close does: it cannot commit a transaction while one is open. False
    /// if that failed; then the lease is tainted.
    /// </summary>
    public bool TryCloseReader()
    {
        try
        {
            TakeOpenReader()?.Dispose();
            return true;
        }
#pragma warning disable CA1031 // The work of the caller is done; the pool destroys the connection.
        catch (Exception)
#pragma warning restore CA1031
        {
            Taint();
            return false;
        }
    }

    /// <inheritdoc cref="TryCloseReader"/>
    public async ValueTask<bool> TryCloseReaderAsync()
    {
        try
        {
            if (TakeOpenReader() is { } reader)
            {
                await reader.DisposeAsync().ConfigureAwait(false);
            }

            return true;
        }
#pragma warning disable CA1031 // As in TryCloseReader.
        catch (Exception)
#pragma warning restore CA1031
        {
            Taint();
            return false;
        }
    }

    /// <summary>
    /// Called when the connection could not join a transaction, which Npgsql remembers all the same: it would keep the session
    /// for that transaction when it is closed.
    /// </summary>
    public void ForgetRefused()
    {
        Taint();
#pragma warning disable CA1031 // It may be broken, or busy: it is destroyed.
        try
        {
            Connection.EnlistTransaction(transaction: null);
        }
        catch (Exception)
        {
            // See above.
        }
#pragma warning restore CA1031
    }

    /// <summary>Reports an exception of the provider to the pool.</summary>
    public abstract void Report(Exception exception);

    public abstract void Taint();

    /// <summary>Reports a statement that the context is about to execute to the pool; null if its text is not known.</summary>
    public abstract void Observe(string? statement);

    /// <summary>Returns the connection, once.</summary>
    public void End()
    {
        if (!TryEnd())
        {
            return;
        }

        if (!IsExposed)
        {
            ObserveReader();
            Return();
            return;
        }

        var isClosed = false;
        try
        {
            // A broken one is already closed, and may be in the middle of raising that event.
            if (Connection.State is not ConnectionState.Closed)
            {
                Connection.Close();
            }

            isClosed = true;
        }
#pragma warning disable CA1031 // The work of the caller is done; the pool destroys the connection.
        catch (Exception)
#pragma warning restore CA1031
        {
        }
        finally
        {
            EndExposed(isClosed);
        }
    }

    /// <summary>Returns the connection, once.</summary>
    public ValueTask EndAsync()
    {
        if (!TryEnd())
        {
            return default;
        }

        if (IsExposed)
        {
            return CloseAndEndAsync();
        }

        ObserveReader();
        return ReturnAsync();
    }

    protected abstract void ReportEnlistment(Transaction transaction);

    protected abstract void Return();

    protected abstract ValueTask ReturnAsync();

    /// <summary>Releases the capacity. The connection is closed; its object belongs to the application.</summary>
    protected abstract void Abandon();

    // Not kept while the lease is parked. The application may still dispose an open one later, and Npgsql uses a reader that was
    // disposed again for the next query of its session: the session ends with the lease.
    private DbDataReader? TakeOpenReader()
    {
        var reader = Reader;
        Reader = null;
        if (reader is not { IsClosed: false })
        {
            return null;
        }

        IsExposed = true;
        return reader;
    }

    // The pool closes it, in the background.
    private void ObserveReader()
    {
        if (Reader is { IsClosed: false })
        {
            Observe(statement: null);
        }
    }

    private bool TryEnd()
    {
        if (Interlocked.Exchange(ref _ended, 1) != 0)
        {
            return false;
        }

        RentedConnections.End(Connection);
        return true;
    }

    private async ValueTask CloseAndEndAsync()
    {
        var isClosed = false;
        try
        {
            if (Connection.State is not ConnectionState.Closed)
            {
                await Connection.CloseAsync().ConfigureAwait(false);
            }

            isClosed = true;
        }
#pragma warning disable CA1031 // As in End.
        catch (Exception)
#pragma warning restore CA1031
        {
        }
        finally
        {
            EndExposed(isClosed);
        }
    }

    private void EndExposed(bool isClosed)
    {
        if (isClosed)
        {
            Abandon();
        }
        else
        {
            Taint();
            Return();
        }
    }
}
