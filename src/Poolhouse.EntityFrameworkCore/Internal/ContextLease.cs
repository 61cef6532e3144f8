using System.Data.Common;
using System.Transactions;

namespace Poolhouse.EntityFrameworkCore;

/// <summary>A rented connection, whatever its type, and the transaction that it is enlisted in.</summary>
internal abstract class ContextLease(DbConnection connection)
{
    private int _ended;

    public DbConnection Connection => connection;

    /// <summary>The System.Transactions transaction of the connection, as far as it was seen.</summary>
    public Transaction? Enlisted { get; set; }

    /// <summary>Tells the pool what the provider threw.</summary>
    public abstract void Report(Exception exception);

    public abstract void Taint();

    /// <summary>Returns the connection, once.</summary>
    public void End()
    {
        if (Interlocked.Exchange(ref _ended, 1) == 0)
        {
            Return();
        }
    }

    /// <summary>Returns the connection, once.</summary>
    public ValueTask EndAsync() => Interlocked.Exchange(ref _ended, 1) == 0 ? ReturnAsync() : default;

    protected abstract void Return();

    protected abstract ValueTask ReturnAsync();
}
