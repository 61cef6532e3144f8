using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// Runs the executions of commands and batches: begins the use of the connection, observes failures, ends the use.
/// </summary>
// The delegates are static, so that an execution allocates nothing for them.
internal static class CommandRunner
{
    public static TResult Run<TCommand, TResult>(TCommand command, Func<TCommand, PhysicalConnection, TResult> execute)
        where TCommand : class, IExecutable
    {
        var (connection, physical) = command.Enter();
        try
        {
            return execute(command, physical);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            command.Leave(physical);
        }
    }

    public static async Task<TResult> RunAsync<TCommand, TResult>(
        TCommand command, Func<TCommand, PhysicalConnection, CancellationToken, Task<TResult>> execute,
        CancellationToken cancellationToken)
        where TCommand : class, IExecutable
    {
        cancellationToken.ThrowIfCancellationRequested();
        var (connection, physical) = command.Enter();
        try
        {
            return await execute(command, physical, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            command.Leave(physical);
        }
    }

    /// <summary>
    /// Executes a reader. Its wrapper closes the connection if the behavior requires it; without a wrapper, it is closed here.
    /// </summary>
    public static DbDataReader Read(IExecutable command, CommandBehavior behavior)
    {
        var closes = behavior.HasFlag(CommandBehavior.CloseConnection);
        var (connection, physical) = command.Enter();
        PooledDataReader? reader = null;
        try
        {
            physical.NoteKeyInfo(behavior);
            var inner = command.ExecuteInner(behavior & ~CommandBehavior.CloseConnection);
            reader = new PooledDataReader(connection, physical, inner, command, closes);
            command.ReaderOpened();
            return reader;
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            command.Leave(physical);
            if (connection.Physical != physical)
            {
                reader?.EndUnread();
            }
            else if (closes && reader is null)
            {
                connection.Close();
            }
        }
    }

    /// <inheritdoc cref="Read"/>
    public static async Task<DbDataReader> ReadAsync(
        IExecutable command, CommandBehavior behavior, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var closes = behavior.HasFlag(CommandBehavior.CloseConnection);
        var (connection, physical) = command.Enter();
        PooledDataReader? reader = null;
        try
        {
            physical.NoteKeyInfo(behavior);
            var inner = await command.ExecuteInnerAsync(behavior & ~CommandBehavior.CloseConnection, cancellationToken)
                .ConfigureAwait(false);
            reader = new PooledDataReader(connection, physical, inner, command, closes);
            command.ReaderOpened();
            return reader;
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            command.Leave(physical);
            if (connection.Physical != physical)
            {
                reader?.EndUnread();
            }
            else if (closes && reader is null)
            {
                await connection.CloseAsync().ConfigureAwait(false);
            }
        }
    }
}
