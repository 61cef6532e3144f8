using System.Data;
using System.Data.Common;
using System.Data.SqlTypes;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>
/// The operations of ADO.NET, each in its synchronous and its asynchronous form, and a record of their results.
/// </summary>
internal sealed class CallRecorder(DbDataSource source, bool isAsync, Dialect dialect)
{
    private readonly List<string> _log = [];

    public DbDataSource Source => source;

    public bool IsAsync => isAsync;

    public bool IsPostgres => dialect == Dialect.PostgreSql;

    public bool IsMariaDb => dialect == Dialect.MariaDb;

    public bool IsSqlServer => dialect == Dialect.SqlServer;

    public IReadOnlyList<string> Log => _log;

    public void Note(string what, object? value) => _log.Add($"{what}: {Show(value)}");

    /// <summary>
    /// Records the result or exception of a call. Exceptions are recorded as the documented base type that callers catch.
    /// </summary>
    public async Task TryAsync(string what, Func<Task<object?>> call)
    {
        try
        {
            Note(what, await call());
        }
        catch (DbException failure)
        {
            Note(what, $"{nameof(DbException)} {failure.SqlState} {failure.IsTransient} {failure.Message}");
        }
        catch (InvalidOperationException)
        {
            Note(what, nameof(InvalidOperationException));
        }
        catch (OperationCanceledException)
        {
            Note(what, nameof(OperationCanceledException));
        }
        catch (Exception failure) when (failure is ArgumentException or InvalidCastException or NotSupportedException
            or IndexOutOfRangeException or NullReferenceException or SqlNullValueException)
        {
            Note(what, failure.GetType().Name);
        }
    }

    public Task TryAsync(string what, Func<object?> call) => TryAsync(what, () => Task.FromResult(call()));

    public Task TryAsync(string what, Func<Task> call) => TryAsync(what, async () =>
    {
        await call();
        return "done";
    });

    public Task DoAsync(string what, Action call) => TryAsync(what, () =>
    {
        call();
        return (object?)"done";
    });

    /// <summary>Records the changes of a connection's state.</summary>
    // MySqlConnector alone reports that it is connecting; a connection of a pool is open or closed.
    public void NoteChanges(DbConnection connection, Func<object?, ConnectionState, ConnectionState, string> text) =>
        connection.StateChange += (sender, change) =>
        {
            if (change.CurrentState != ConnectionState.Connecting)
            {
                var original = change.OriginalState == ConnectionState.Connecting ? ConnectionState.Closed : change.OriginalState;
                Note("change", text(sender, original, change.CurrentState));
            }
        };

    public async Task<DbConnection> OpenAsync() => isAsync ? await source.OpenConnectionAsync() : source.OpenConnection();

    public async Task OpenAsync(DbConnection connection)
    {
        if (isAsync)
        {
            await connection.OpenAsync();
        }
        else
        {
            connection.Open();
        }
    }

    public async Task CloseAsync(DbConnection connection)
    {
        if (isAsync)
        {
            await connection.CloseAsync();
        }
        else
        {
            connection.Close();
        }
    }

    public async Task<object?> ScalarAsync(DbCommand command) =>
        isAsync ? await command.ExecuteScalarAsync() : command.ExecuteScalar();

    public Task<object?> ScalarAsync(DbConnection connection, string sql, DbTransaction? transaction = null) =>
        ScalarAsync(Command(connection, sql, transaction));

    public async Task<int> ExecuteAsync(DbCommand command) =>
        isAsync ? await command.ExecuteNonQueryAsync() : command.ExecuteNonQuery();

    public Task<int> ExecuteAsync(DbConnection connection, string sql, DbTransaction? transaction = null) =>
        ExecuteAsync(Command(connection, sql, transaction));

    public async Task<DbDataReader> ReaderAsync(DbCommand command, CommandBehavior behavior = CommandBehavior.Default) =>
        isAsync ? await command.ExecuteReaderAsync(behavior) : command.ExecuteReader(behavior);

    public async Task<bool> ReadAsync(DbDataReader reader) => isAsync ? await reader.ReadAsync() : reader.Read();

    public async Task<bool> NextResultAsync(DbDataReader reader) =>
        isAsync ? await reader.NextResultAsync() : reader.NextResult();

    public async Task<DbTransaction> BeginAsync(DbConnection connection, IsolationLevel level = IsolationLevel.Serializable) =>
        isAsync ? await connection.BeginTransactionAsync(level) : connection.BeginTransaction(level);

    public async Task CommitAsync(DbTransaction transaction)
    {
        if (isAsync)
        {
            await transaction.CommitAsync();
        }
        else
        {
            transaction.Commit();
        }
    }

    public async Task RollbackAsync(DbTransaction transaction)
    {
        if (isAsync)
        {
            await transaction.RollbackAsync();
        }
        else
        {
            transaction.Rollback();
        }
    }

    public async Task DisposeAsync(IDisposable item)
    {
        if (isAsync)
        {
            await ((IAsyncDisposable)item).DisposeAsync();
        }
        else
        {
            item.Dispose();
        }
    }

    public static DbCommand Command(DbConnection connection, string sql, DbTransaction? transaction = null)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        if (transaction is not null)
        {
            command.Transaction = transaction;
        }

        return command;
    }

    public static void Add(DbCommand command, string name, object? value)
    {
        var parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = value ?? DBNull.Value;
        command.Parameters.Add(parameter);
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => text,
        byte[] bytes => Convert.ToHexString(bytes),
        System.Collections.IEnumerable many => "[" + string.Join(", ", many.Cast<object?>().Select(Show)) + "]",
        IFormattable number =>
            $"{value.GetType().Name} {number.ToString(null, System.Globalization.CultureInfo.InvariantCulture)}",
        _ => value.ToString() ?? "null",
    };
}
