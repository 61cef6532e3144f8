using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Poolhouse.Data;

// Invariants
//   _physical is the connection of _lease while this one is open, and null otherwise
//   what is bound to the lease lets go of the connection before the lease ends: then no wrapper can reach its next user (I9)
// Order of writes
//   Open writes _lease before it publishes _physical. Close takes _physical away by an exchange, so of two threads that close one
//   ends the lease, and then looks at _uses. An execution counts itself in _uses before it reads _physical. Both are full fences,
//   so either the execution finds the connection closed, or Close sees the execution and destroys the provider's connection
//   instead of returning it.
// Locks: none. The list of what is bound belongs to the thread that uses the connection, as the connection does.
public partial class PooledConnection
{
    private Lease<PhysicalConnection> _lease;
    private PhysicalConnection? _physical;
    private ILeaseBound? _bound;
    private int _uses;
    private int _opening;
    private bool _disposed;

    private enum Fate
    {
        Return,
        Discard,

        /// <summary>The lease goes on until its transaction completes.</summary>
        Park,
    }

    internal PhysicalConnection? Physical => _physical;

    /// <summary>
    /// Rents a connection; waits at most <see cref="ConnectionTimeout"/>. Not cancellable: use <see cref="OpenAsync"/> for that.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is open already.</exception>
    /// <exception cref="DbPoolException">The time was up, too many wait, or connections cannot be opened.</exception>
    /// <exception cref="DbException">The provider's own, if the connection meant for this caller could not be opened.</exception>
    /// <exception cref="ObjectDisposedException">The data source or this connection is disposed.</exception>
    /// <exception cref="NotSupportedException">It is opened inside a transaction of System.Transactions, and the provider cannot
    /// take part in one.</exception>
    public override void Open()
    {
        BeginOpening();
        try
        {
            Adopt(_source.Enlists && Transaction.Current is { } transaction
                ? RentWithin(transaction)
                : DbRents.Rent(_source.Pool, _source.Reporter, CancellationToken.None));
        }
        finally
        {
            Volatile.Write(ref _opening, 0);
        }

        Opened();
    }

    /// <inheritdoc cref="Open"/>
    /// <summary>Rents a connection; waits at most <see cref="ConnectionTimeout"/>.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that completes when it is open: at once if the pool has an idle one.</returns>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    public override Task OpenAsync(CancellationToken cancellationToken)
    {
        BeginOpening();
        try
        {
            if (_source.Enlists && Transaction.Current is { } transaction)
            {
                return FinishOpeningAsync(RentWithinAsync(transaction, cancellationToken));
            }

            var rent = DbRents.RentAsync(_source.Pool, _source.Reporter, cancellationToken);
            if (!rent.IsCompletedSuccessfully)
            {
                return FinishOpeningAsync(rent);
            }

#pragma warning disable VSTHRD103 // It is completed.
            Adopt(rent.Result);
#pragma warning restore VSTHRD103
        }
        catch
        {
            Volatile.Write(ref _opening, 0);
            throw;
        }

        Volatile.Write(ref _opening, 0);
        Opened();
        return Task.CompletedTask;
    }

    /// <summary>Returns the connection to the pool, without waiting for anything. Harmless when it is closed.</summary>
    public override void Close()
    {
        if (TryRelease(out var lease, out var fate))
        {
            if (fate == Fate.Return)
            {
                lease.Dispose();
            }
            else if (fate == Fate.Discard)
            {
                lease.Discard();
            }

            OnStateChange(_openToClosed);
        }
    }

    /// <summary>Returns the connection to the pool.</summary>
    /// <returns>
    /// A completed task; only with <see cref="Resources.ResourcePoolOptions.AwaitReset"/> one that completes when the session is
    /// reset.
    /// </returns>
    public override Task CloseAsync()
    {
        if (!TryRelease(out var lease, out var fate))
        {
            return Task.CompletedTask;
        }

        var returning = default(ValueTask);
        if (fate == Fate.Return)
        {
            returning = lease.DisposeAsync();
        }
        else if (fate == Fate.Discard)
        {
            lease.Discard();
        }

        OnStateChange(_openToClosed);
        return returning.IsCompletedSuccessfully ? Task.CompletedTask : returning.AsTask();
    }

    /// <summary>Closes the connection for good: it cannot be opened again.</summary>
    /// <returns>As for <see cref="CloseAsync"/>.</returns>
#pragma warning disable CA1816 // The base class does.
    public override ValueTask DisposeAsync()
#pragma warning restore CA1816
    {
        _disposed = true;
        var closing = CloseAsync();
        var disposing = base.DisposeAsync();
        return closing.IsCompletedSuccessfully ? disposing : new ValueTask(closing);
    }

    /// <summary>
    /// The provider's connection, for one execution, which ends with <see cref="Leave"/>. It will be reset after the lease, unless the statement leaves nothing behind.
    /// </summary>
    internal PhysicalConnection Enter(string? statement = null)
    {
        Interlocked.Increment(ref _uses);
        if (_physical is { } physical)
        {
            physical.Touch(statement);
            return physical;
        }

        Interlocked.Decrement(ref _uses);
        throw NotOpen();
    }

    internal void Leave() => Interlocked.Decrement(ref _uses);

    /// <summary>
    /// Holds the lease's connection while a cancellation is on its way to it, and has it destroyed afterwards. False if the lease
    /// has ended.
    /// </summary>
    internal bool TryHold(PhysicalConnection physical)
    {
        Interlocked.Increment(ref _uses);
        if (_physical == physical)
        {
            _lease.Taint();
            return true;
        }

        Interlocked.Decrement(ref _uses);
        return false;
    }

    internal void Bind(ILeaseBound wrapper)
    {
        wrapper.NextBound = _bound;
        _bound = wrapper;
    }

    internal void Unbind(ILeaseBound wrapper)
    {
        if (_bound == wrapper)
        {
            _bound = wrapper.NextBound;
        }
        else
        {
            for (var before = _bound; before is not null; before = before.NextBound)
            {
                if (before.NextBound == wrapper)
                {
                    before.NextBound = wrapper.NextBound;
                    break;
                }
            }
        }

        wrapper.NextBound = null;
    }

    internal T? FirstBound<T, TState>(Func<T, TState, bool> condition, TState state)
        where T : class, ILeaseBound
    {
        for (var wrapper = _bound; wrapper is not null; wrapper = wrapper.NextBound)
        {
            if (wrapper is T found && condition(found, state))
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>
    /// Draws the conclusions from what the provider threw, while it is on its way to the caller. Always false: the filter of a
    /// catch block, which then changes nothing about the exception.
    /// </summary>
    internal bool Saw(Exception failure, CancellationToken cancellationToken = default)
    {
        if (_physical is { } physical)
        {
            physical.Touch();
            var severity = _source.Care.Options.Errors.Classify(failure);
            if (severity == DbErrorSeverity.Server)
            {
                _source.Pool.Invalidate(_lease, _source.Care.Options.FatalErrorSpread);
                _source.Care.ReportFatalError(physical, failure);
            }
            else if (severity == DbErrorSeverity.Connection || cancellationToken.IsCancellationRequested)
            {
                _lease.Taint();
            }
        }

        return false;
    }

    internal static InvalidOperationException NotOpen() => new("The connection is not open. Open it first.");

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _disposed = true;
            Close();
        }

        base.Dispose(disposing);
    }

    private void BeginOpening()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_source.IsUnset)
        {
            throw new InvalidOperationException("The connection has no connection string. Set ConnectionString before opening it.");
        }

        if (Interlocked.Exchange(ref _opening, 1) != 0)
        {
            throw new InvalidOperationException(
                "The connection is being opened by another call. A connection is for one caller at a time.");
        }

        if (_physical is { } physical)
        {
            if (!physical.IsBroken)
            {
                Volatile.Write(ref _opening, 0);
                throw new InvalidOperationException("The connection is already open. Close it first.");
            }

            // Who opens a broken connection gets another one, as from any provider's pool.
            Close();
        }
    }

    private void Adopt(Lease<PhysicalConnection> lease)
    {
        if (!_source.IsPooled)
        {
            lease.Taint();
        }

        _lease = lease;
        _physical = lease.Value;
    }

    private async Task FinishOpeningAsync(ValueTask<Lease<PhysicalConnection>> rent)
    {
        try
        {
            Adopt(await rent.ConfigureAwait(false));
        }
        finally
        {
            Volatile.Write(ref _opening, 0);
        }

        Opened();
    }

    private void Opened()
    {
        if (_disposed)
        {
            Close();
            throw new ObjectDisposedException(nameof(PooledConnection));
        }

        OnStateChange(_closedToOpen);
    }

    private bool TryRelease(out Lease<PhysicalConnection> lease, out Fate fate)
    {
        if (_physical is null || Interlocked.Exchange(ref _physical, null) is not { } physical)
        {
            lease = default;
            fate = default;
            return false;
        }

        lease = _lease;
        var reusable = Volatile.Read(ref _uses) == 0;
        var wrapper = _bound;
        _bound = null;

        // While a statement runs on another thread, what is bound is that thread's. The connection is destroyed, so it may stay
        // bound.
        while (reusable && wrapper is not null)
        {
            var next = wrapper.NextBound;
            wrapper.NextBound = null;
            reusable = wrapper.LetGo(physical);
            wrapper = next;
        }

        fate = !reusable ? Fate.Discard
            : physical.Enlistment is { } enlistment && TryPark(physical, enlistment) ? Fate.Park
            : Fate.Return;
        if (fate == Fate.Return && !TryReset(physical))
        {
            fate = Fate.Discard;
        }

        return true;
    }

    /// <summary>Resets the session now, where that takes no round trip; otherwise the pool does. False if it failed.</summary>
    private static bool TryReset(PhysicalConnection physical)
    {
        try
        {
            physical.TryResetAtOnce();
            return true;
        }
#pragma warning disable CA1031 // Whatever the provider throws says that the connection cannot be used.
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }
}
