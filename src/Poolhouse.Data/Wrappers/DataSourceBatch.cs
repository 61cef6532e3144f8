using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A batch of a data source: it opens a connection for each execution and closes it afterwards, with the reader where there is
/// one.
/// </summary>
internal sealed class DataSourceBatch(PooledConnection connection) : DbBatch
{
    private readonly PooledBatch _batch = new(connection);

    public override int Timeout
    {
        get => _batch.Timeout;
        set => _batch.Timeout = value;
    }

    protected override DbBatchCommandCollection DbBatchCommands => _batch.BatchCommands;

    protected override DbConnection? DbConnection
    {
        get => throw NotSupported();
        set => throw NotSupported();
    }

    protected override DbTransaction? DbTransaction
    {
        get => throw NotSupported();
        set => throw NotSupported();
    }

    public override int ExecuteNonQuery() => Run(static batch => batch.ExecuteNonQuery());

    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default) =>
        RunAsync(static (batch, token) => batch.ExecuteNonQueryAsync(token), cancellationToken);

    public override object? ExecuteScalar() => Run(static batch => batch.ExecuteScalar());

    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default) =>
        RunAsync(static (batch, token) => batch.ExecuteScalarAsync(token), cancellationToken);

    public override void Cancel() => _batch.Cancel();

    public override void Prepare() => throw NotSupported();

    public override Task PrepareAsync(CancellationToken cancellationToken = default) => throw NotSupported();

    public override void Dispose()
    {
        _batch.Dispose();
        connection.Dispose();
        base.Dispose();
    }

    /// <summary>The provider's batch.</summary>
    public DbBatch Unwrap() => _batch.Unwrap();

    protected override DbBatchCommand CreateDbBatchCommand() => _batch.CreateBatchCommand();

    // The wrapper closes the connection with the reader; without one it is closed here.
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        connection.Open();
        try
        {
            return _batch.ExecuteReader(behavior | CommandBehavior.CloseConnection);
        }
        catch
        {
            connection.Close();
            throw;
        }
    }

    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(
        CommandBehavior behavior, CancellationToken cancellationToken)
    {
        await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            behavior |= CommandBehavior.CloseConnection;
            return await _batch.ExecuteReaderAsync(behavior, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await connection.CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    private T Run<T>(Func<PooledBatch, T> execute)
    {
        connection.Open();
        try
        {
            return execute(_batch);
        }
        finally
        {
            connection.Close();
        }
    }

    private async Task<T> RunAsync<T>(Func<PooledBatch, CancellationToken, Task<T>> execute, CancellationToken cancellationToken)
    {
        await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await execute(_batch, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            await connection.CloseAsync().ConfigureAwait(false);
        }
    }

    private static NotSupportedException NotSupported() => new(
        "A batch of a data source has no connection and no transaction. Create it on a connection to use them.");
}
