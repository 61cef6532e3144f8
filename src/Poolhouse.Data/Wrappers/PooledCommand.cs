using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>A command that runs on the provider's connection that its connection has leased.</summary>
// Invariants
//   _inner belongs to the connection that this wrapper is bound to exactly while the wrapper is in the list of the lease
//   once disposed, _inner only has properties: it is never executed, and null if the provider reuses disposed
//     commands. A command that is disposed while it runs keeps _inner and stays bound, so that a close of its connection
//     can cancel what runs
//   the provider does not reuse a command whose parameters the caller may have kept
// A reader left open at the end of the lease keeps _inner busy until the reset disposes of it, and some providers never release a
// connection (_isBusy): then the wrapper continues with another command and the same parameters.
internal sealed partial class PooledCommand : DbCommand, ILeaseBound, IExecutable
{
    private readonly PooledDataSource _source;
#pragma warning disable CA2213 // The command is disposed, unless it is the reset's by then; the others are the caller's.
    private DbCommand? _inner;
    private PooledTransaction? _transaction;
#pragma warning restore CA2213
    private ConnectionBinding _binding;
    private bool _isBusy;
    private bool _hasTimeout;
    private bool _hasHandedOutParameters;
    private bool _isDisposed;

    public PooledCommand(PooledConnection connection)
    {
        GC.SuppressFinalize(this);
        _source = connection.Source;
        _binding = new ConnectionBinding(connection);
        if (connection.Physical is { } physical)
        {
            _inner = physical.Inner.CreateCommand();
            _binding.Bind(this, physical);
        }
        else
        {
            _inner = _source.Traits.CreateCommand();
        }
    }

    public ILeaseBound? NextBound { get; set; }

    public bool IsIdle => _binding.IsIdle;

    [AllowNull]
    public override string CommandText
    {
        get => PropertySource.CommandText;
        set
        {
            ThrowIfRejected();
            if (_isBusy && !_isDisposed && !_binding.IsInLease)
            {
                // Providers reject another text while the reset still closes the reader.
                _binding.Unbind(this);
                Renew();
            }

#pragma warning disable CA2100 // The caller's own text, handed on.
            PropertySource.CommandText = value;
#pragma warning restore CA2100
        }
    }

    public override int CommandTimeout
    {
        get => !_hasTimeout && _binding is { Physical: null, Connection: { } connection }
            && connection.Source.Traits.FollowedTimeout is { } followed
            ? followed
            : PropertySource.CommandTimeout;
        set
        {
            ThrowIfRejected();
            PropertySource.CommandTimeout = value;
            _hasTimeout = true;
        }
    }

    public override CommandType CommandType
    {
        get => PropertySource.CommandType;
        set
        {
            ThrowIfRejected();
            PropertySource.CommandType = value;
        }
    }

    public override bool DesignTimeVisible
    {
        get => PropertySource.DesignTimeVisible;
        set => PropertySource.DesignTimeVisible = value;
    }

    public override UpdateRowSource UpdatedRowSource
    {
        get => PropertySource.UpdatedRowSource;
        set => PropertySource.UpdatedRowSource = value;
    }

    protected override DbParameterCollection DbParameterCollection
    {
        get
        {
            _hasHandedOutParameters = true;
            return PropertySource.Parameters;
        }
    }

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
        get => _binding.Physical is not { } physical || _transaction is not null || Inner.Transaction is not { } begun
            ? _transaction
            : physical.Bound.First<PooledTransaction, DbTransaction>(
                static (transaction, inner) => transaction.Inner == inner, begun);
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

    // Holds the properties that can be read and set after disposal, as with providers. If the provider's command has been
    // released by then, it is replaced by a new one without a connection.
    private DbCommand PropertySource => _inner ??= _source.Traits.CreateCommand();

    private DbCommand Inner
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return _inner!;
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
            throw new InvalidOperationException("The command has no connection. Set its Connection first.");
        var physical = connection.EnterStatement(Inner.CommandType == CommandType.Text ? Inner.CommandText : null);
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
        _isBusy = true;
        return _inner!.Cancel;
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
        else if (!_isBusy && _inner is { } inner)
        {
            try
            {
                if (inner.Transaction is not null)
                {
                    inner.Transaction = null;
                }

                inner.Connection = null;
            }
            catch (Exception refusal) when (refusal is InvalidOperationException or DbException or NotSupportedException)
            {
                _isBusy = true;
            }
        }

        return true;
    }

    /// <summary>Returns the provider's command, on the open connection if there is one.</summary>
    public DbCommand Unwrap()
    {
        if (_binding.Connection is { Physical: not null })
        {
            var (_, physical) = Enter();
            physical.NoteUnwrapped();
            Leave(physical);
        }
        else if (_isBusy)
        {
            Renew();
        }

        return Inner;
    }

    protected override DbParameter CreateDbParameter() => PropertySource.CreateParameter();

    protected override void Dispose(bool disposing)
    {
        if (disposing && !_isDisposed)
        {
            _isDisposed = true;
            if (_binding.IsIdle)
            {
                DisposeInner();
            }
        }

        base.Dispose(disposing);
    }

    // Npgsql returns a disposed command again, so what is set on it would belong to another user, and rejects that. With other
    // providers, the properties can be set.
    private void ThrowIfRejected() => ObjectDisposedException.ThrowIf(_isDisposed && _source.Traits.ReusesCommands, this);

    private void DisposeInner()
    {
        var inner = _inner;
        var isOfEndedLease = _isBusy || _binding.HasOutlivedLease;
        _inner = isOfEndedLease || _source.Traits.ReusesCommands ? null : inner;
        _binding.Unbind(this);
        if (!isOfEndedLease && inner is not null && (!_hasHandedOutParameters || _source.Traits.TryPreventReuse(inner)))
        {
            inner.Dispose();
        }
    }

    private void BindTo(PhysicalConnection physical)
    {
        // Still bound: that connection was destroyed, and a statement may still run on it.
        _isBusy |= _binding.Physical is { } bound && _binding.IsRunningOn(bound);
        _binding.Unbind(this);

        if (_isBusy)
        {
            Renew();
        }

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

    private void Renew()
    {
        var (old, renewed) = (Inner, _source.Traits.CreateCommand());
#pragma warning disable CA2100 // The caller's own text, handed on.
        renewed.CommandText = old.CommandText;
#pragma warning restore CA2100
        renewed.CommandType = old.CommandType;
        if (_hasTimeout || _source.Traits.FollowedTimeout is null)
        {
            renewed.CommandTimeout = old.CommandTimeout;
        }

        (renewed.UpdatedRowSource, renewed.DesignTimeVisible) = (old.UpdatedRowSource, old.DesignTimeVisible);
        var parameters = old.Parameters.Cast<DbParameter>().ToArray();
        old.Parameters.Clear();
        renewed.Parameters.AddRange(parameters);
        _inner = renewed;
        _isBusy = false;
    }
}
