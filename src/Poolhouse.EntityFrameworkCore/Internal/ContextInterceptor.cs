using System.Data.Common;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// Reports the openings, closings, commands and transactions of a context to its <see cref="ContextConnection"/>.
/// </summary>
// One interceptor, not three: of several, Entity Framework makes a list for each kind of event, in each context.
internal sealed class ContextInterceptor(ContextConnection context)
    : IDbConnectionInterceptor, IDbCommandInterceptor, IDbTransactionInterceptor
{
    public DbConnection ConnectionCreated(ConnectionCreatedEventData eventData, DbConnection result)
    {
        context.NoteOwn(eventData.ConnectionId, result);
        return result;
    }

    public InterceptionResult ConnectionOpening(DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
    {
        if (result.IsSuppressed || !context.Rents(connection, eventData.ConnectionId))
        {
            return result;
        }

        context.Open(connection);
        return InterceptionResult.Suppress();
    }

    public async ValueTask<InterceptionResult> ConnectionOpeningAsync(
        DbConnection connection,
        ConnectionEventData eventData,
        InterceptionResult result,
        CancellationToken cancellationToken = default)
    {
        if (result.IsSuppressed || !context.Rents(connection, eventData.ConnectionId))
        {
            return result;
        }

        await context.OpenAsync(connection, cancellationToken).ConfigureAwait(false);
        return InterceptionResult.Suppress();
    }

    /// <summary>
    /// The interceptors of the application have had their turn before the opening; after it, theirs is still to come.
    /// </summary>
    public void ConnectionOpened(DbConnection connection, ConnectionEndEventData eventData) => context.EndOpening();

    public Task ConnectionOpenedAsync(
        DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default)
    {
        context.EndOpening();
        return Task.CompletedTask;
    }

    public InterceptionResult ConnectionClosing(DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
    {
        if (!context.IsRented(connection))
        {
            return result;
        }

        context.Close();
        return InterceptionResult.Suppress();
    }

    public async ValueTask<InterceptionResult> ConnectionClosingAsync(
        DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
    {
        if (!context.IsRented(connection))
        {
            return result;
        }

        await context.CloseAsync().ConfigureAwait(false);
        return InterceptionResult.Suppress();
    }

    /// <summary>
    /// Handles a rented connection that an interceptor of the application rejected: it may have been changed, and will not be
    /// closed.
    /// </summary>
    public void ConnectionFailed(DbConnection connection, ConnectionErrorEventData eventData) => context.DropRefused(connection);

    public Task ConnectionFailedAsync(
        DbConnection connection, ConnectionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        context.DropRefused(connection);
        return Task.CompletedTask;
    }

    public void ConnectionCanceled(DbConnection connection, ConnectionEndEventData eventData) => context.DropRefused(connection);

    public Task ConnectionCanceledAsync(
        DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default)
    {
        context.DropRefused(connection);
        return Task.CompletedTask;
    }

    public InterceptionResult ConnectionDisposing(
        DbConnection connection, ConnectionEventData eventData, InterceptionResult result) =>
        context.IsSwapping ? InterceptionResult.Suppress() : result;

    public InterceptionResult<DbCommand> CommandCreating(
        CommandCorrelatedEventData eventData, InterceptionResult<DbCommand> result) =>
        !result.HasResult && context.ReplacementFor(eventData.Connection) is { } connection
            ? InterceptionResult<DbCommand>.SuppressWithResult(connection.CreateCommand())
            : result;

    public InterceptionResult<DbDataReader> ReaderExecuting(
        DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result)
    {
        context.BeginCommand(command);
        return result;
    }

    public InterceptionResult<object> ScalarExecuting(
        DbCommand command, CommandEventData eventData, InterceptionResult<object> result)
    {
        context.BeginCommand(command);
        return result;
    }

    public InterceptionResult<int> NonQueryExecuting(
        DbCommand command, CommandEventData eventData, InterceptionResult<int> result)
    {
        context.BeginCommand(command);
        return result;
    }

    public ValueTask<InterceptionResult<DbDataReader>> ReaderExecutingAsync(
        DbCommand command,
        CommandEventData eventData,
        InterceptionResult<DbDataReader> result,
        CancellationToken cancellationToken = default)
    {
        context.BeginCommand(command);
        return new(result);
    }

    public ValueTask<InterceptionResult<object>> ScalarExecutingAsync(
        DbCommand command,
        CommandEventData eventData,
        InterceptionResult<object> result,
        CancellationToken cancellationToken = default)
    {
        context.BeginCommand(command);
        return new(result);
    }

    public ValueTask<InterceptionResult<int>> NonQueryExecutingAsync(
        DbCommand command,
        CommandEventData eventData,
        InterceptionResult<int> result,
        CancellationToken cancellationToken = default)
    {
        context.BeginCommand(command);
        return new(result);
    }

    public DbDataReader ReaderExecuted(DbCommand command, CommandExecutedEventData eventData, DbDataReader result)
    {
        context.EndCommand(result);
        return result;
    }

    public ValueTask<DbDataReader> ReaderExecutedAsync(
        DbCommand command,
        CommandExecutedEventData eventData,
        DbDataReader result,
        CancellationToken cancellationToken = default)
    {
        context.EndCommand(result);
        return new(result);
    }

    public object? ScalarExecuted(DbCommand command, CommandExecutedEventData eventData, object? result)
    {
        context.EndCommand();
        return result;
    }

    public int NonQueryExecuted(DbCommand command, CommandExecutedEventData eventData, int result)
    {
        context.EndCommand();
        return result;
    }

    public ValueTask<object?> ScalarExecutedAsync(
        DbCommand command, CommandExecutedEventData eventData, object? result, CancellationToken cancellationToken = default)
    {
        context.EndCommand();
        return new(result);
    }

    public ValueTask<int> NonQueryExecutedAsync(
        DbCommand command, CommandExecutedEventData eventData, int result, CancellationToken cancellationToken = default)
    {
        context.EndCommand();
        return new(result);
    }

    public void CommandFailed(DbCommand command, CommandErrorEventData eventData) => context.Report(command, eventData.Exception);

    public Task CommandFailedAsync(
        DbCommand command, CommandErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        context.Report(command, eventData.Exception);
        return Task.CompletedTask;
    }

    public void CommandCanceled(DbCommand command, CommandEndEventData eventData) =>
        context.Report(command, new OperationCanceledException());

    public Task CommandCanceledAsync(
        DbCommand command, CommandEndEventData eventData, CancellationToken cancellationToken = default)
    {
        context.Report(command, new OperationCanceledException());
        return Task.CompletedTask;
    }

    public InterceptionResult<DbTransaction> TransactionStarting(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result)
    {
        if (eventData.IsolationLevel != System.Data.IsolationLevel.Unspecified)
        {
            context.BeginTransaction();
        }

        return result;
    }

    public ValueTask<InterceptionResult<DbTransaction>> TransactionStartingAsync(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result,
        CancellationToken cancellationToken = default) =>
        new(TransactionStarting(connection, eventData, result));

    public DbTransaction TransactionUsed(DbConnection connection, TransactionEventData eventData, DbTransaction result)
    {
        context.UseTransactionOf(connection);
        return result;
    }

    public ValueTask<DbTransaction> TransactionUsedAsync(
        DbConnection connection, TransactionEventData eventData, DbTransaction result,
        CancellationToken cancellationToken = default) =>
        new(TransactionUsed(connection, eventData, result));

    public void TransactionFailed(DbTransaction transaction, TransactionErrorEventData eventData) =>
        context.ReportTransaction(eventData.ConnectionId, eventData.Exception);

    public Task TransactionFailedAsync(
        DbTransaction transaction, TransactionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        TransactionFailed(transaction, eventData);
        return Task.CompletedTask;
    }
}
