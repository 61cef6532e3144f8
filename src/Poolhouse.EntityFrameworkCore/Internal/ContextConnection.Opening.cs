using System.Data.Common;
using System.Transactions;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Poolhouse.EntityFrameworkCore.Internal;

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
        ThrowIfScopeIsPending();
        NoteSettings(connection);
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
        ThrowIfScopeIsPending();
        NoteSettings(connection);
        Attach(_source.TakeParked(Transaction.Current) ?? await _source.RentAsync(cancellationToken).ConfigureAwait(false));
        return InterceptionResult.Suppress();
    }

    /// <summary>The interceptors of the application have had their turn before the opening; after it, theirs is still to come.</summary>
    public void ConnectionOpened(DbConnection connection, ConnectionEndEventData eventData) => ThrowIfSettingsChanged();

    public Task ConnectionOpenedAsync(DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default)
    {
        ThrowIfSettingsChanged();
        return Task.CompletedTask;
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

    /// <summary>
    /// Handles a rented connection that an interceptor of the application rejected: it may have been changed, and will not be closed.
    /// </summary>
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

    // Entity Framework forgets the scope with each connection that it is shown.
    private void ThrowIfScopeIsPending()
    {
        if (_scopes is not null && Transaction.Current is null)
        {
            _scopes.RemoveAll(static scope => !ConnectionSource.IsActive(scope));
            if (_scopes.Count > 0)
            {
                throw new InvalidOperationException(
                    "The context was used in a transaction scope that has not completed. Complete the scope before using the context outside it.");
            }
        }
    }

    private void NoteSettings(DbConnection connection)
    {
        if (_isIntercepted)
        {
            _settings = ConnectionSettings.Of(connection);
        }
    }

    private void ThrowIfSettingsChanged()
    {
        var settings = _settings;
        _settings = null;
        if (settings?.Undo() is { } changed)
        {
            throw new InvalidOperationException(
                $"An interceptor changed {changed} in ConnectionOpening, but a connection of pool '{_source.Name}' is open already. " +
                "Configure the connections of the pool instead: on its data source, or with DbPoolOptions.Credentials.");
        }
    }

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
