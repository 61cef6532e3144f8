using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A transaction on the connection of one lease. It ends with the lease at the latest: the reset then rolls it back.
/// </summary>
internal sealed class PooledTransaction : DbTransaction, ILeaseBound
{
    private readonly PooledConnection _connection;
    private PhysicalConnection? _physical;
    private DbTransaction? _inner;
    private Stage _stage;

    private PooledTransaction(PooledConnection connection, PhysicalConnection physical, DbTransaction inner)
    {
        _connection = connection;
        _physical = physical;
        _inner = inner;
    }

    private enum Stage
    {
        Open,

        /// <summary>Committed or rolled back by the caller.</summary>
        Completed,
        Disposed,

        /// <summary>Left open when the connection was closed.</summary>
        Abandoned,
    }

    public DbTransaction? Inner => _inner;

    public ILeaseBound? NextBound { get; set; }

    public bool IsIdle => _stage != Stage.Open;

    public override IsolationLevel IsolationLevel => Usable.IsolationLevel;

    public override bool SupportsSavepoints => Usable.SupportsSavepoints;

    protected override DbConnection? DbConnection =>
        _stage <= Stage.Completed && _inner?.Connection is not null ? _connection : null;

    private DbTransaction Usable
    {
        get
        {
            ObjectDisposedException.ThrowIf(_stage == Stage.Disposed, this);
            return _inner ?? throw Over();
        }
    }

    /// <summary>Wraps a transaction of the provider for one lease.</summary>
    // Some providers reuse one transaction object: a wrapper of an earlier transaction must not act on this one.
    public static PooledTransaction Wrap(PooledConnection connection, PhysicalConnection physical, DbTransaction inner)
    {
        while (physical.Bound.First<PooledTransaction, DbTransaction>(
            static (transaction, inner) => transaction.Inner == inner, inner) is { } earlier)
        {
            earlier.Forget();
            physical.Bound.Remove(earlier);
        }

        var transaction = new PooledTransaction(connection, physical, inner);
        physical.Bound.Add(transaction);
        return transaction;
    }

    /// <summary>
    /// The transaction to set on a provider's command. One of another connection is passed on too: the provider decides how
    /// to handle it.
    /// </summary>
    public DbTransaction? ForCommand() =>
        _stage == Stage.Abandoned
            ? throw new InvalidOperationException(
                "The transaction of the command ended when its connection was closed. " +
                "Set Transaction to null or to a transaction that is open.")
            : _inner;

    public DbTransaction Unwrap()
    {
        var (inner, physical) = Enter();
        physical.NoteUnwrapped();
        physical.EndUse();
        return inner;
    }

    public override void Commit()
    {
        Run(static (inner, _) => inner.Commit(), string.Empty);
        _stage = Stage.Completed;
    }

    public override async Task CommitAsync(CancellationToken cancellationToken = default)
    {
        await RunAsync(static (inner, _, token) => inner.CommitAsync(token), string.Empty, cancellationToken)
            .ConfigureAwait(false);
        _stage = Stage.Completed;
    }

    public override void Rollback()
    {
        Run(static (inner, _) => inner.Rollback(), string.Empty);
        _stage = Stage.Completed;
    }

    public override async Task RollbackAsync(CancellationToken cancellationToken = default)
    {
        await RunAsync(static (inner, _, token) => inner.RollbackAsync(token), string.Empty, cancellationToken)
            .ConfigureAwait(false);
        _stage = Stage.Completed;
    }

    public override void Save(string savepointName) => Run(static (inner, name) => inner.Save(name), savepointName);

    public override Task SaveAsync(string savepointName, CancellationToken cancellationToken = default) =>
        RunAsync(static (inner, name, token) => inner.SaveAsync(name, token), savepointName, cancellationToken);

    public override void Rollback(string savepointName) => Run(static (inner, name) => inner.Rollback(name), savepointName);

    public override Task RollbackAsync(string savepointName, CancellationToken cancellationToken = default) =>
        RunAsync(static (inner, name, token) => inner.RollbackAsync(name, token), savepointName, cancellationToken);

    public override void Release(string savepointName) => Run(static (inner, name) => inner.Release(name), savepointName);

    public override Task ReleaseAsync(string savepointName, CancellationToken cancellationToken = default) =>
        RunAsync(static (inner, name, token) => inner.ReleaseAsync(name, token), savepointName, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        if (TryBeginDisposal(out var inner, out var physical))
        {
            try
            {
                await inner.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception failure) when (_connection.ObserveFailure(physical, failure))
            {
                throw;
            }
            finally
            {
                EndDisposal(physical);
            }
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    public bool TryDetach(PhysicalConnection physical)
    {
        var inner = _inner;
        var isOpen = _stage == Stage.Open;
        Forget();
        if (!isOpen || inner is null)
        {
            return true;
        }

        _stage = Stage.Abandoned;
        if (physical.Reset.IsNone || physical.OpenTransaction is not null)
        {
            return false;
        }

        physical.OpenTransaction = inner;
        return true;
    }

    /// <summary>From now on the provider's transaction may belong to another user.</summary>
    public void Forget()
    {
        _inner = null;
        _physical = null;
        _stage = _stage == Stage.Open ? Stage.Completed : _stage;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && TryBeginDisposal(out var inner, out var physical))
        {
            try
            {
                inner.Dispose();
            }
            catch (Exception failure) when (_connection.ObserveFailure(physical, failure))
            {
                throw;
            }
            finally
            {
                EndDisposal(physical);
            }
        }

        base.Dispose(disposing);
    }

    private static InvalidOperationException Over() =>
        new("The transaction has ended: its connection was closed, or another transaction was begun.");

    private bool TryBeginDisposal(out DbTransaction inner, out PhysicalConnection physical)
    {
        (inner, physical) = (_inner!, _physical!);
        if (_stage == Stage.Disposed || inner is null || !_connection.TryEnter(physical))
        {
            _stage = Stage.Disposed;
            return false;
        }

        physical.TouchTransaction();
        return true;
    }

    private void EndDisposal(PhysicalConnection physical)
    {
        // Before the use ends: after that, a close on another thread may pass the connection on.
        _stage = Stage.Disposed;
        physical.Bound.Remove(this);
        physical.EndUse();
    }

    private (DbTransaction Inner, PhysicalConnection Physical) Enter()
    {
        var inner = Usable;
        var physical = _connection.EnterTransaction();
        if (physical == _physical)
        {
            return (inner, physical);
        }

        // The connection was closed while a statement ran and opened again.
        physical.EndUse();
        throw Over();
    }

    private void Run(Action<DbTransaction, string> action, string argument)
    {
        var (inner, physical) = Enter();
        try
        {
            action(inner, argument);
        }
        catch (Exception failure) when (_connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }

    private async Task RunAsync(
        Func<DbTransaction, string, CancellationToken, Task> action, string argument, CancellationToken cancellationToken)
    {
        var (inner, physical) = Enter();
        try
        {
            await action(inner, argument, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (_connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }
}
