using System.Data.Common;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Reports the opening and closing of a context's connection to its <see cref="ContextConnection"/>.</summary>
internal sealed class ContextOpenings(ContextConnection context) : IDbConnectionInterceptor
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
}
