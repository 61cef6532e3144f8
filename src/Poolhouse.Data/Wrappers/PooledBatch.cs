using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A batch that runs on the provider's connection that its connection has leased. Its commands are the provider's own: they have
/// no connection.
/// </summary>
// Invariants
//   as for PooledCommand, except for a batch that an open reader keeps busy at the end of the lease: it cannot be used again
internal sealed partial class PooledBatch : DbBatch, ILeaseBound, IExecutable
{
    private readonly PooledDataSource _source;
#pragma warning disable CA2213 // The batch is disposed, unless it is the reset's by then; the others are the caller's.
    private DbBatch? _inner;
    private PooledTransaction? _transaction;
#pragma warning restore CA2213
    private ConnectionBinding _binding;
    private bool _isDisposed;

    public PooledBatch(PooledConnection connection)
    {
        _source = connection.Source;
        _binding = new ConnectionBinding(connection);
        if (connection.Physical is { } physical)
        {
            _inner = physical.Inner.CreateBatch();
            _binding.Bind(this, physical);
        }
        else
        {
            _inner = _source.Traits.CreateBatch();
        }
    }

    public ILeaseBound? NextBound { get; set; }

    public bool IsIdle => _binding.IsIdle;

    public override int Timeout
    {
        get => PropertySource.Timeout;
        set => PropertySource.Timeout = value;
    }

    protected override DbBatchCommandCollection DbBatchCommands => PropertySource.BatchCommands;

    protected override DbConnection? DbConnection
    {
        get => _binding.Connection;
        set
        {
            if (value != _binding.Connection)
            {
                var connection = DbWrappers.Own(value, _source);
                if (_binding.IsInLease)
                {
                    // The provider may reject that while a reader is open.
                    Inner.Connection = null;
                }

                _binding.Replace(this, connection);
            }
        }
    }

    protected override DbTransaction? DbTransaction
    {
        get => _transaction;
        set
        {
            var transaction = DbWrappers.Own(value);
            if (_binding.Physical is not null)
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

    /// <inheritdoc cref="ConnectionBinding.Cancel"/>
    public override void Cancel()
    {
        if (_inner is { } inner)
        {
            _binding.Cancel(inner.Cancel);
        }
    }

    public void CancelRunning(PhysicalConnection physical)
    {
        if (_binding.IsRunningOn(physical))
        {
            _inner?.Cancel();
        }
    }

    public (PooledConnection Connection, PhysicalConnection Physical) Enter()
    {
        _ = Inner;
        var connection = _binding.Connection ??
            throw new InvalidOperationException("The batch has no connection. Set its Connection first.");
        var physical = connection.EnterStatement(statement: null);
        if (_binding.Physical != physical)
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

        _binding.Begin();
        return (connection, physical);
    }

    public void Leave(PhysicalConnection physical) => _binding.Leave(physical);

    public void ReaderClosed(PhysicalConnection physical)
    {
        if (_binding.EndReader(physical) && _isDisposed)
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
        if (!_binding.TryDetach(physical))
        {
            return true;
        }

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
        if (_binding.Connection is { Physical: not null })
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
            if (_binding.IsIdle)
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
        var isOfEndedLease = _binding.HasOutlivedLease;
        _inner = null;
        _binding.Unbind(this);
        if (!isOfEndedLease && inner is not null && _source.Traits.TryPreventReuse(inner))
        {
            inner.Dispose();
        }
    }

    private void BindTo(PhysicalConnection physical)
    {
        _binding.Unbind(this);
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

        _binding.Bind(this, physical);
    }
}
