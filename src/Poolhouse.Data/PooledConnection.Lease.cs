using System.Data.Common;
using System.Transactions;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data;

// The opening and closing of a connection.
// Invariants
//   _held is the connection that this one leases while it is open; the lease is the connection's own
//   wrappers bound to the lease release the connection before the lease ends, so that no wrapper can affect its next user (I9)
// Order of writes
//   See HeldConnection. Dispose writes _disposed before it takes the connection away, Open reads it after it has published its
//   own: either Open finds the wrapper disposed, or Dispose finds the connection.
// Locks: none. Bound wrappers belong to the thread that uses the connection, like the connection itself.
public partial class PooledConnection
{
    private HeldConnection _held;
    private volatile bool _isOpening;
    private bool _disposed;

    internal PhysicalConnection? Physical => _held.Value;

    /// <summary>
    /// Rents a connection; waits at most <see cref="ConnectionTimeout"/>. Not cancellable: use <see cref="OpenAsync"/> for that.
    /// </summary>
    /// <exception cref="InvalidOperationException">The connection is already open.</exception>
    /// <exception cref="DbPoolException">The wait timed out, too many callers are waiting, or connections cannot be
    /// opened.</exception>
    /// <exception cref="DbException">The provider's own exception, if the connection for this caller could not be
    /// opened.</exception>
    /// <exception cref="ObjectDisposedException">The data source or this connection is disposed.</exception>
    /// <exception cref="NotSupportedException">The connection is opened inside a transaction of System.Transactions, and the
    /// provider does not support these.</exception>
    public override void Open()
    {
        BeginOpening();
        try
        {
            Adopt(_source.Enlists && Transaction.Current is { } transaction
                ? EnlistedRents.Rent(_source, transaction)
                : DbRentTranslator.Rent(_source.Pool, _source.Reporter, timeout: null, CancellationToken.None));
        }
        finally
        {
            _isOpening = false;
        }

        Opened();
    }

    /// <inheritdoc cref="Open"/>
    /// <summary>Rents a connection; waits at most <see cref="ConnectionTimeout"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>A task that completes when the connection is open: at once if the pool has an idle connection.</returns>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    public override Task OpenAsync(CancellationToken cancellationToken) =>
        TryOpenAtOnce(cancellationToken, out var rent) ? Task.CompletedTask : FinishOpeningAsync(rent);

    /// <summary>
    /// Returns the connection to the pool without waiting, unless it takes part in a transaction of System.Transactions and has
    /// an open reader: then the rest of the result is read. Has no effect on a closed connection.
    /// </summary>
    public override void Close()
    {
        if (_held.Value is not null && TryRelease())
        {
            OnStateChange(_openToClosed);
        }
    }

    /// <summary>Returns the connection to the pool.</summary>
    /// <returns>
    /// A completed task; with <see cref="ResourcePoolOptions.AwaitReset"/>, a task that completes when the session has been
    /// reset; for a connection that takes part in a transaction of System.Transactions and has an open reader, a task that
    /// completes when the rest of the result has been read.
    /// </returns>
    public override Task CloseAsync() => _held.Value is null ? Task.CompletedTask : ReleaseAsync();

    /// <summary>Closes the connection permanently: it cannot be opened again.</summary>
    /// <returns>As for <see cref="CloseAsync"/>.</returns>
#pragma warning disable CA1816 // The base class does.
    public override ValueTask DisposeAsync()
#pragma warning restore CA1816
    {
        _disposed = true;
        var closing = ReleaseAsync();
        var disposing = base.DisposeAsync();
        return closing.IsCompletedSuccessfully ? disposing : new ValueTask(closing);
    }

    /// <summary>Does the same as <see cref="OpenAsync"/>, and returns the connection.</summary>
    // With a task, not a reusable source, because code that blocks on the opening of a connection is common.
    internal ValueTask<DbConnection> OpenNewAsync(CancellationToken cancellationToken) =>
        TryOpenAtOnce(cancellationToken, out var rent)
            ? new ValueTask<DbConnection>(this)
            : new ValueTask<DbConnection>(FinishOpeningAsync(rent));

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && !_disposed)
        {
            _disposed = true;
            if (TryRelease())
            {
                OnStateChange(_openToClosed);
            }
        }

        base.Dispose(disposing);
    }

    private void BeginOpening()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_source.IsUnset)
        {
            throw new InvalidOperationException(
                "The connection has no connection string. Set ConnectionString before opening it.");
        }

        if (_isOpening)
        {
            throw new InvalidOperationException(
                "The connection is being opened by another call. Use a connection from one caller at a time.");
        }

        if (_held.Value is { } physical)
        {
            if (!physical.IsBroken)
            {
                throw AlreadyOpen();
            }

            // Opening a broken connection rents another one, as with any provider's pool.
            Close();
        }

        // For the message only; TryAdopt decides between two threads that open.
        _isOpening = true;
    }

    private void Adopt(Lease<PhysicalConnection> lease)
    {
        if (!_held.TryAdopt(lease, _source))
        {
            throw AlreadyOpen();
        }
    }

    private bool TryOpenAtOnce(CancellationToken cancellationToken, out ValueTask<Lease<PhysicalConnection>> rent)
    {
        BeginOpening();
        rent = default;
        try
        {
            var begun = RentAsync(cancellationToken);
            if (!begun.IsCompletedSuccessfully)
            {
                rent = begun;
                return false;
            }

#pragma warning disable VSTHRD002 // It is completed.
            Adopt(begun.Result);
#pragma warning restore VSTHRD002
        }
        catch
        {
            _isOpening = false;
            throw;
        }

        _isOpening = false;
        Opened();
        return true;
    }

    private ValueTask<Lease<PhysicalConnection>> RentAsync(CancellationToken cancellationToken) =>
        _source.Enlists && Transaction.Current is { } transaction
            ? EnlistedRents.RentAsync(_source, transaction, cancellationToken)
            : DbRentTranslator.RentAsync(_source.Pool, _source.Reporter, timeout: null, cancellationToken);

    private async Task<DbConnection> FinishOpeningAsync(ValueTask<Lease<PhysicalConnection>> rent)
    {
        try
        {
            Adopt(await rent.ConfigureAwait(false));
        }
        finally
        {
            _isOpening = false;
        }

        Opened();
        return this;
    }

    private void Opened()
    {
        if (_disposed)
        {
            Close();
            throw new ObjectDisposedException(nameof(PooledConnection));
        }

        try
        {
            OnStateChange(_closedToOpen);
        }
        catch
        {
            // To the caller the connection is not open, so the caller may not close it.
            TryRelease();
            throw;
        }
    }

    private bool TryRelease()
    {
        if (_held.Take() is not { } physical)
        {
            return false;
        }

        LeaseEnds.End(physical, _source.Enlisted);
        return true;
    }

    private Task ReleaseAsync()
    {
        if (_held.Take() is not { } physical)
        {
            return Task.CompletedTask;
        }

        var returning = LeaseEnds.EndAsync(physical, _source.Enlisted);
        OnStateChange(_openToClosed);
        return returning.IsCompletedSuccessfully ? Task.CompletedTask : returning.AsTask();
    }

    private static InvalidOperationException AlreadyOpen() => new("The connection is already open. Close it first.");
}
