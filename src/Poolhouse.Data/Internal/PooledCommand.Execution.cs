using System.Data;
using System.Data.Common;

namespace Poolhouse.Data;

internal sealed partial class PooledCommand
{
    public override int ExecuteNonQuery()
    {
        var connection = Enter();
        try
        {
            return _inner!.ExecuteNonQuery();
        }
        catch (Exception failure) when (connection.Saw(failure))
        {
            throw;
        }
        finally
        {
            connection.Leave();
        }
    }

    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var connection = Enter();
        try
        {
            return await _inner!.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.Saw(failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            connection.Leave();
        }
    }

    public override object? ExecuteScalar()
    {
        var connection = Enter();
        try
        {
            return _inner!.ExecuteScalar();
        }
        catch (Exception failure) when (connection.Saw(failure))
        {
            throw;
        }
        finally
        {
            connection.Leave();
        }
    }

    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var connection = Enter();
        try
        {
            return await _inner!.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.Saw(failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            connection.Leave();
        }
    }

    public override void Prepare()
    {
        var connection = Enter();
        try
        {
            _physical!.HasPrepared = true;
            _inner!.Prepare();
        }
        catch (Exception failure) when (connection.Saw(failure))
        {
            throw;
        }
        finally
        {
            connection.Leave();
        }
    }

    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var connection = Enter();
        try
        {
            _physical!.HasPrepared = true;
            await _inner!.PrepareAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.Saw(failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            connection.Leave();
        }
    }

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        var closes = behavior.HasFlag(CommandBehavior.CloseConnection);
        var connection = Enter();
        var isWrapped = false;
        try
        {
            var inner = _inner!.ExecuteReader(behavior & ~CommandBehavior.CloseConnection);
            var reader = new PooledDataReader(connection, inner, closes);
            isWrapped = true;
            return reader;
        }
        catch (Exception failure) when (connection.Saw(failure))
        {
            throw;
        }
        finally
        {
            connection.Leave();
            if (closes && !isWrapped)
            {
                connection.Close();
            }
        }
    }

    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(
        CommandBehavior behavior, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var closes = behavior.HasFlag(CommandBehavior.CloseConnection);
        var connection = Enter();
        var isWrapped = false;
        try
        {
            var inner = await _inner!
                .ExecuteReaderAsync(behavior & ~CommandBehavior.CloseConnection, cancellationToken)
                .ConfigureAwait(false);
            var reader = new PooledDataReader(connection, inner, closes);
            isWrapped = true;
            return reader;
        }
        catch (Exception failure) when (connection.Saw(failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            connection.Leave();
            if (closes && !isWrapped)
            {
                await connection.CloseAsync().ConfigureAwait(false);
            }
        }
    }
}
