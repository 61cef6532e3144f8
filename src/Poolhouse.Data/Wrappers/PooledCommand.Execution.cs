using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

internal sealed partial class PooledCommand
{
    public override int ExecuteNonQuery()
    {
        var (connection, physical) = Enter();
        try
        {
            return _inner!.ExecuteNonQuery();
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            Leave(physical);
        }
    }

    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var (connection, physical) = Enter();
        try
        {
            return await _inner!.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            Leave(physical);
        }
    }

    public override object? ExecuteScalar()
    {
        var (connection, physical) = Enter();
        try
        {
            return _inner!.ExecuteScalar();
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            Leave(physical);
        }
    }

    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var (connection, physical) = Enter();
        try
        {
            return await _inner!.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            Leave(physical);
        }
    }

    public override void Prepare()
    {
        var (connection, physical) = Enter();
        try
        {
            physical.HasPrepared = true;
            _inner!.Prepare();
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            Leave(physical);
        }
    }

    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var (connection, physical) = Enter();
        try
        {
            physical.HasPrepared = true;
            await _inner!.PrepareAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            Leave(physical);
        }
    }

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        var closes = behavior.HasFlag(CommandBehavior.CloseConnection);
        var (connection, physical) = Enter();
        var isWrapped = false;
        try
        {
            physical.NoteKeyInfo(behavior);
            var inner = _inner!.ExecuteReader(behavior & ~CommandBehavior.CloseConnection);
            var reader = new PooledDataReader(connection, physical, inner, this, closes);
            _running++;
            isWrapped = true;
            return reader;
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure))
        {
            throw;
        }
        finally
        {
            Leave(physical);
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
        var (connection, physical) = Enter();
        var isWrapped = false;
        try
        {
            physical.NoteKeyInfo(behavior);
            var inner = await _inner!
                .ExecuteReaderAsync(behavior & ~CommandBehavior.CloseConnection, cancellationToken)
                .ConfigureAwait(false);
            var reader = new PooledDataReader(connection, physical, inner, this, closes);
            _running++;
            isWrapped = true;
            return reader;
        }
        catch (Exception failure) when (connection.ObserveFailure(physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            Leave(physical);
            if (closes && !isWrapped)
            {
                await connection.CloseAsync().ConfigureAwait(false);
            }
        }
    }
}
