using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A batch that runs on whatever its connection is opened on. Its commands are the provider's own: they have no connection.
/// </summary>
// Invariants
//   as for PooledCommand, but for a batch that an open reader keeps busy at the end of the lease: it cannot be used again
internal sealed partial class PooledBatch : DbBatch, ILeaseBound, IExecutable
{
    private readonly PooledDataSource _source;
#pragma warning disable CA2213 // The batch is disposed, unless it is the reset's by then; the others are the caller's.
    private DbBatch? _inner;
    private PooledConnection? _connection;
    private PooledTransaction? _transaction;
#pragma warning restore CA2213
    private PhysicalConnection? _physical;
    private bool _isDisposed;
    private int _running;

    public PooledBatch(PooledConnection connection)
    {
        _source = connection.Source;
        _connection = connection;
        if (connection.Physical is { } physical)
        {
            _inner = physical.Inner.CreateBatch();
            _physical = physical;
            physical.Bound.Add(this);
        }
        else
        {
            _inner = _source.Traits.CreateBatch();
        }
    }

    public ILeaseBound? NextBound { get; set; }

    public bool IsIdle => _running == 0;

    public override int Timeout
    {
        get => PropertySource.Timeout;
        set => PropertySource.Timeout = value;
    }

    protected override DbBatchCommandCollection DbBatchCommands => PropertySource.BatchCommands;

    protected override DbConnection? DbConnection
    {
        get => _connection;
        set
        {
            if (value != _connection)
            {
                var connection = DbWrappers.Own(value, _source);
                Release();
                _connection = connection;
            }
        }
    }

    protected override DbTransaction? DbTransaction
    {
        get => _transaction;
        set
        {
            var transaction = DbWrappers.Own(value);
            if (_physical is not null)
            {
                Inner.Transaction = transaction?.ForCommand();
            }

            _transaction = transaction;
        }
    }

    /// <inheritdoc cref="PooledCommand.PropertySource"/>
    private DbBatch PropertySource => _isDisposed ? _inner ??= _source.Traits.CreateBatch() : Inner;

    private DbBatch Inner
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed || _inner is null, this);
            return _inner;
        }
    }

    /// <inheritdoc cref="PooledCommand.Cancel"/>
    public override void Cancel()
    {
        if (_inner is { } inner && _physical is { } physical && _connection is { } connection && connection.TryHold(physical))
        {
            try
            {
                inner.Cancel();
            }
            finally
            {
                physical.EndUse();
            }
        }
    }

    public void CancelRunning(PhysicalConnection physical)
    {
        if (_physical == physical && _running > 0)
        {
            _inner?.Cancel();
        }
    }

    public (PooledConnection Connection, PhysicalConnection Physical) Enter()
    {
        _ = Inner;
        var connection = _connection ??
            throw new InvalidOperationException("The batch has no connection. Set its Connection first.");
        var physical = connection.Enter();
        if (_physical != physical)
        {
            try
            {
                BindTo(physical);
            }
            catch
            {
                physical.EndUse();
                throw;
            }
        }

        _running++;
        return (connection, physical);
    }

    // On any thread, so the list of what is bound is left alone: a command that was disposed meanwhile stays there until the
    // lease ends.
    public void Leave(PhysicalConnection physical)
    {
        if (_physical == physical)
        {
            _running--;
        }

        physical.EndUse();
    }

    public void ReaderClosed(PhysicalConnection physical)
    {
        if (_physical == physical && --_running == 0 && _isDisposed)
        {
            DisposeInner();
        }
    }

    public Action SetAside()
    {
        var inner = _inner!;
        _inner = null;
        return inner.Cancel;
    }

    public bool TryDetach(PhysicalConnection physical)
    {
        if (_physical != physical)
        {
            return true;
        }

        _physical = null;
        if (_isDisposed)
        {
            _inner = null;
        }
        else if (_inner is { } inner)
        {
            try
            {
                inner.Transaction = null;
                inner.Connection = null;
            }
            catch (Exception refusal) when (refusal is InvalidOperationException or DbException or NotSupportedException)
            {
                _inner = null;
            }
        }

        return true;
    }

    /// <summary>Returns the provider's batch, on the open connection if there is one.</summary>
    public DbBatch Unwrap()
    {
        if (_connection is { Physical: not null })
        {
            var (_, physical) = Enter();
            physical.NoteUnwrapped();
            Leave(physical);
        }

        return Inner;
    }

    public override void Dispose()
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            if (_running == 0)
            {
                DisposeInner();
            }
        }

        base.Dispose();
    }

    protected override DbBatchCommand CreateDbBatchCommand() => PropertySource.CreateBatchCommand();

    private void DisposeInner()
    {
        var inner = _inner;
        var isOfEndedLease = _physical is { } physical && _connection?.Physical != physical;
        _inner = null;
        _physical?.Bound.Remove(this);
        _physical = null;
        if (!isOfEndedLease)
        {
            inner?.Dispose();
        }
    }

    private void BindTo(PhysicalConnection physical)
    {
        _physical?.Bound.Remove(this);
        _physical = null;

        var transaction = _transaction?.ForCommand();
        Inner.Connection = physical.Inner;
        if (transaction is not null)
        {
            try
            {
                Inner.Transaction = transaction;
            }
            catch
            {
                // It is not bound, so nothing would detach it from the connection later.
                Inner.Connection = null;
                throw;
            }
        }

        _running = 0;
        _physical = physical;
        physical.Bound.Add(this);
    }

    private void Release()
    {
        if (_physical is { } physical && _connection is { } connection)
        {
            if (connection.Physical == physical)
            {
                Inner.Connection = null;
            }

            physical.Bound.Remove(this);
            _physical = null;
        }
    }
}
