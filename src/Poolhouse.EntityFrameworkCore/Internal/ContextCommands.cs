using System.Data.Common;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Reports the commands of a context to its <see cref="ContextConnection"/>.</summary>
internal sealed class ContextCommands(ContextConnection context) : IDbCommandInterceptor, IDbTransactionInterceptor
{
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
