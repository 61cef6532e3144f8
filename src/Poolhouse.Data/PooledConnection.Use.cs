using System.Data.Common;
using System.Transactions;
using Poolhouse.Data.Sessions;
using Poolhouse.Data.Wrappers;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.Data;

// The use of a connection while it is open.
public partial class PooledConnection
{
    /// <summary>
    /// Returns the provider's connection for one execution, which ends with <see cref="PhysicalConnection.EndUse"/>. The
    /// connection will be reset after the lease, unless the statement leaves nothing behind.
    /// </summary>
    internal PhysicalConnection Enter(string? statement = null) => Touch(EnterUnchecked(), statement);

    /// <summary>The same, for a command or a batch.</summary>
    /// <exception cref="TransactionAbortedException">The transaction that the connection has joined was aborted, and is still
    /// current.</exception>
    internal PhysicalConnection EnterStatement(string? statement) => Touch(EnterInTransaction(), statement);

    private static PhysicalConnection Touch(PhysicalConnection physical, string? statement)
    {
        try
        {
            physical.Touch(statement);
        }
        catch
        {
            // A reset of the application may throw.
            physical.EndUse();
            throw;
        }

        return physical;
    }

    /// <summary>The same, for beginning or ending a transaction.</summary>
    // Providers may set other isolation levels by statements of their own: with Microsoft.Data.Sqlite by a pragma.
    internal PhysicalConnection EnterTransaction(IsolationLevel level = IsolationLevel.Unspecified)
    {
        var physical = EnterInTransaction();
        if (physical.IsUsual(level))
        {
            physical.TouchTransaction();
        }
        else
        {
            physical.Touch();
        }

        return physical;
    }

    private PhysicalConnection EnterInTransaction()
    {
        if (_held.Value is { Enlistment: { } enlistment } enlisted)
        {
            TransactionJoin.ThrowIfAborted(enlisted.Inner, enlistment.Transaction);
        }

        return EnterUnchecked();
    }

    private PhysicalConnection EnterUnchecked() => _held.Value is { } physical && TryEnter(physical) ? physical : throw NotOpen();

    /// <inheritdoc cref="HeldConnection.TryEnter"/>
    internal bool TryEnter(PhysicalConnection physical) => _held.TryEnter(physical);

    /// <summary>
    /// Holds the lease's connection while a cancellation is sent to it, and marks it for destruction afterwards if that may
    /// arrive late. False if the lease has ended. Ends with <see cref="PhysicalConnection.EndUse"/>.
    /// </summary>
    internal bool TryHold(PhysicalConnection physical)
    {
        if (TryEnter(physical))
        {
            if (!physical.ConfirmsCancellation)
            {
                physical.Lease.Taint();
            }

            return true;
        }

        return false;
    }

    /// <summary>
    /// Handles an exception of the provider before it reaches the caller. Always returns false: it is the filter of a
    /// catch block, which leaves the exception unchanged.
    /// </summary>
    internal bool ObserveFailure(PhysicalConnection physical, Exception failure, CancellationToken cancellationToken = default)
    {
        if (_source.Policy.ObserveFailure(physical.Lease, physical, failure) != DbErrorSeverity.Server
            && cancellationToken.IsCancellationRequested && !physical.ConfirmsCancellation)
        {
            physical.Lease.Taint();
        }

        return false;
    }

    internal static InvalidOperationException NotOpen() => new("The connection is not open. Open it first.");

    /// <summary>The provider's connection; the caller may use it in any way until the lease ends.</summary>
    internal DbConnection Unwrap()
    {
        var physical = Enter();
        physical.NoteUnwrapped();
        physical.EndUse();
        return physical.Inner;
    }

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => ConnectionUse.Run(
        this,
        EnterTransaction(isolationLevel),
        (Connection: this, Level: isolationLevel),
        static (physical, begin) =>
            PooledTransaction.Wrap(begin.Connection, physical, physical.Inner.BeginTransaction(begin.Level)));

    /// <inheritdoc/>
    protected override async ValueTask<DbTransaction> BeginDbTransactionAsync(
        IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var physical = EnterTransaction(isolationLevel);
        try
        {
            var inner = await physical.Inner.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false);
            return PooledTransaction.Wrap(this, physical, inner);
        }
        catch (Exception failure) when (ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            physical.EndUse();
        }
    }
}
