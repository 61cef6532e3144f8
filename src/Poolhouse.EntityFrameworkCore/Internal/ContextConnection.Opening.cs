using System.Data.Common;
using System.Transactions;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Poolhouse.EntityFrameworkCore;

/// <content>What the context does with its connection.</content>
internal sealed partial class ContextConnection : IDbConnectionInterceptor
{
    public DbConnection ConnectionCreated(ConnectionCreatedEventData eventData, DbConnection result)
    {
        if (eventData.ConnectionId == Relational.ConnectionId)
        {
            _own = result;
        }

        return result;
    }

    public InterceptionResult ConnectionOpening(DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
    {
        if (result.IsSuppressed || !Rents(connection, eventData.ConnectionId))
        {
            return result;
        }

        DropLost();
        Attach(_source.TakeParked(Transaction.Current) ?? _source.Rent());
        return InterceptionResult.Suppress();
    }

    public async ValueTask<InterceptionResult> ConnectionOpeningAsync(
        DbConnection connection,
        ConnectionEventData eventData,
        InterceptionResult result,
        CancellationToken cancellationToken = default)
    {
        if (result.IsSuppressed || !Rents(connection, eventData.ConnectionId))
        {
            return result;
        }

        DropLost();
        Attach(_source.TakeParked(Transaction.Current) ?? await _source.RentAsync(cancellationToken).ConfigureAwait(false));
        return InterceptionResult.Suppress();
    }

    public InterceptionResult ConnectionClosing(DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
    {
        if (_lease is not { } lease || !ReferenceEquals(connection, lease.Connection))
        {
            return result;
        }

        Detach();
        GiveBack(lease);
        return InterceptionResult.Suppress();
    }

    public async ValueTask<InterceptionResult> ConnectionClosingAsync(DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
    {
        if (_lease is not { } lease || !ReferenceEquals(connection, lease.Connection))
        {
            return result;
        }

        Detach();
        await GiveBackAsync(lease).ConfigureAwait(false);
        return InterceptionResult.Suppress();
    }

    /// <summary>An interceptor of the application refused the connection that was rented: it did something to it, and nobody will close it.</summary>
    public void ConnectionFailed(DbConnection connection, ConnectionErrorEventData eventData) => DropRefused(connection);

    public Task ConnectionFailedAsync(DbConnection connection, ConnectionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        DropRefused(connection);
        return Task.CompletedTask;
    }

    public void ConnectionCanceled(DbConnection connection, ConnectionEndEventData eventData) => DropRefused(connection);

    public Task ConnectionCanceledAsync(DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default)
    {
        DropRefused(connection);
        return Task.CompletedTask;
    }

    public InterceptionResult ConnectionDisposing(DbConnection connection, ConnectionEventData eventData, InterceptionResult result) =>
        _isSwapping ? InterceptionResult.Suppress() : result;

    private void DropRefused(DbConnection connection)
    {
        if (_lease is { } lease && ReferenceEquals(connection, lease.Connection))
        {
            lease.Taint();
            Detach();
            GiveBack(lease);
        }
    }
}
