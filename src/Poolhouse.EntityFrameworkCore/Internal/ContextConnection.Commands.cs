using System.Data;
using System.Data.Common;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <content>What the context executes on its connection.</content>
// Entity Framework makes a command before it opens the connection: the command belongs to the closed one and is moved.
internal sealed partial class ContextConnection : IDbCommandInterceptor, IDbTransactionInterceptor
{
    public InterceptionResult<DbDataReader> ReaderExecuting(DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result)
    {
        Bind(command);
        return result;
    }

    public InterceptionResult<object> ScalarExecuting(DbCommand command, CommandEventData eventData, InterceptionResult<object> result)
    {
        Bind(command);
        return result;
    }

    public InterceptionResult<int> NonQueryExecuting(DbCommand command, CommandEventData eventData, InterceptionResult<int> result)
    {
        Bind(command);
        return result;
    }

    public ValueTask<InterceptionResult<DbDataReader>> ReaderExecutingAsync(
        DbCommand command,
        CommandEventData eventData,
        InterceptionResult<DbDataReader> result,
        CancellationToken cancellationToken = default)
    {
        Bind(command);
        return new(result);
    }

    public ValueTask<InterceptionResult<object>> ScalarExecutingAsync(
        DbCommand command,
        CommandEventData eventData,
        InterceptionResult<object> result,
        CancellationToken cancellationToken = default)
    {
        Bind(command);
        return new(result);
    }

    public ValueTask<InterceptionResult<int>> NonQueryExecutingAsync(
        DbCommand command,
        CommandEventData eventData,
        InterceptionResult<int> result,
        CancellationToken cancellationToken = default)
    {
        Bind(command);
        return new(result);
    }

    public DbDataReader ReaderExecuted(DbCommand command, CommandExecutedEventData eventData, DbDataReader result)
    {
        _isExecuting = false;
        return result;
    }

    public ValueTask<DbDataReader> ReaderExecutedAsync(
        DbCommand command,
        CommandExecutedEventData eventData,
        DbDataReader result,
        CancellationToken cancellationToken = default)
    {
        _isExecuting = false;
        return new(result);
    }

    public void CommandFailed(DbCommand command, CommandErrorEventData eventData) => Report(command, eventData.Exception);

    public Task CommandFailedAsync(DbCommand command, CommandErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        Report(command, eventData.Exception);
        return Task.CompletedTask;
    }

    public void CommandCanceled(DbCommand command, CommandEndEventData eventData) => Taint(command);

    public Task CommandCanceledAsync(DbCommand command, CommandEndEventData eventData, CancellationToken cancellationToken = default)
    {
        Taint(command);
        return Task.CompletedTask;
    }

    public DbTransaction TransactionUsed(DbConnection connection, TransactionEventData eventData, DbTransaction result)
    {
        if (_lease is null)
        {
            NoteForeign(connection);
        }

        return result;
    }

    public ValueTask<DbTransaction> TransactionUsedAsync(
        DbConnection connection, TransactionEventData eventData, DbTransaction result, CancellationToken cancellationToken = default) =>
        new(TransactionUsed(connection, eventData, result));

    public void TransactionFailed(DbTransaction transaction, TransactionErrorEventData eventData)
    {
        if (_lease is { } lease && eventData.ConnectionId == Relational.ConnectionId)
        {
            lease.Report(eventData.Exception);
            DropIfLost();
        }
    }

    public Task TransactionFailedAsync(DbTransaction transaction, TransactionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        TransactionFailed(transaction, eventData);
        return Task.CompletedTask;
    }

    private void Bind(DbCommand command)
    {
        if (_lease is { } lease)
        {
            if (ReferenceEquals(command.Connection, _home))
            {
                command.Connection = lease.Connection;
            }

            _isExecuting = true;
            NoteTransaction(lease);
        }
        else
        {
            NoteForeign(command.Connection);
        }
    }

    /// <summary>The context executes on a connection that the application set, which may be one that another context rented.</summary>
    private static void NoteForeign(DbConnection? connection)
    {
        if (connection is null || !RentedConnections.IsOne(connection, out var lease))
        {
            return;
        }

        if (lease is not null)
        {
            lease.IsExposed = true;
        }
        else if (connection.State is not ConnectionState.Closed)
        {
            throw new InvalidOperationException(
                "The context's connection was rented by another context, which has returned it. Set it with SetDbConnection while the other context has it open.");
        }
    }

    private void Report(DbCommand command, Exception exception)
    {
        if (_lease is { } lease && ReferenceEquals(command.Connection, lease.Connection))
        {
            lease.Report(exception);
            _isExecuting = false;
            DropIfLost();
        }
    }

    private void Taint(DbCommand command)
    {
        if (_lease is { } lease && ReferenceEquals(command.Connection, lease.Connection))
        {
            lease.Taint();
            _isExecuting = false;
            DropIfLost();
        }
    }
}
