using System.Data.Common;
using System.Net.Sockets;
using Poolhouse.Data.Opening;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Data.Sessions;

/// <summary>What every pool of connections does to one: open, check, clean, close. Behind both faces, whatever type they lease.</summary>
internal sealed class ConnectionPolicy(IConnectionOpener opener, DbPoolOptions options)
{
    private readonly ConnectionCloser _closer = new(opener, options);
    private readonly TypeReload _types = new();
    private volatile bool _hasOpened;

    public IConnectionOpener Opener => opener;

    /// <summary>Set by the pool: ages out every connection to the host of this one.</summary>
    public Action<PhysicalConnection> OnCondemned { private get; set; } = static _ => { };

    /// <summary>Set by the pool: how many connections there may be now.</summary>
    public Func<int> MaxSize
    {
        set => _closer.MaxSize = value;
    }

    /// <summary>The connections whose close has begun and has not ended.</summary>
    public int Closing => _closer.Closing;

    /// <summary>Whether two connections are on the same host.</summary>
    public bool IsOnSameHost(PhysicalConnection one, PhysicalConnection other) =>
        ReferenceEquals(opener.HostOf(one.Origin), opener.HostOf(other.Origin));

    /// <summary>Whether there are several hosts, of which one may fail alone.</summary>
    public bool HasHosts(PhysicalConnection connection) => opener.HostOf(connection.Origin) is not null;

    public DbPoolOptions Options => options;

    /// <summary>The hooks of a policy without those that the options turn off for every connection.</summary>
    public ResourceHooks Without(ResourceHooks hooks, bool enlists) =>
        options.Reset is { IsNone: true } && !enlists ? hooks & ~(ResourceHooks.Reset | ResourceHooks.NeedsReset) : hooks;

    /// <summary>
    /// Whether callers are told of a failed opening at once. Also of a server that cannot be reached, until it was reached once: before that it is more
    /// likely to be misspelt than away. Of several hosts every one must have failed permanently.
    /// </summary>
    public bool IsPermanent(Exception openFailure) => openFailure is DbPoolException { Failures: { Count: > 0 } failures }
        ? failures.All(options.Errors.IsPermanent)
        : options.Errors.IsPermanent(openFailure) || (!_hasOpened && openFailure is not DbPoolException && IsUnreachable(openFailure));

    /// <summary>Has the next connections load the types of the database anew.</summary>
    public void ForgetTypes() => _types.Request();

    public async ValueTask<PhysicalConnection> OpenAsync(CancellationToken cancellationToken)
    {
        _closer.ThrowIfTooManyAreOpen();
        var (connection, origin) = await opener.OpenAsync(cancellationToken).ConfigureAwait(false);
        return await AdoptAsync(connection, origin, cancellationToken).ConfigureAwait(false);
    }

    public PhysicalConnection Open(CancellationToken cancellationToken)
    {
        _closer.ThrowIfTooManyAreOpen();
        var (connection, origin) = opener.Open(cancellationToken);

#pragma warning disable VSTHRD002, CA2012 // On a thread of the pool's own, made for this one creation: waiting here blocks no other caller.
        return AdoptAsync(connection, origin, cancellationToken).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, CA2012
    }

    /// <summary>Whether a connection is known to be broken, or should give way to one on a better server.</summary>
    public bool IsUnusable(PhysicalConnection connection) =>
        connection.IsBroken || (connection.Origin is { } origin && opener.IsOutdated(origin));

    /// <summary>Whether an idle connection still works.</summary>
    public async ValueTask<bool> ValidateAsync(PhysicalConnection connection, CancellationToken cancellationToken)
    {
        if (IsUnusable(connection))
        {
            return false;
        }

        if (options.ValidationQuery is not { } query)
        {
            return true;
        }

        if (!connection.TryBeginWork())
        {
            return false;
        }

        try
        {
            var command = connection.Inner.CreateCommand();
            await using (command.ConfigureAwait(false))
            {
#pragma warning disable CA2100 // The query is a setting of the pool.
                command.CommandText = query;
#pragma warning restore CA2100
                await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
                return true;
            }
        }
        catch (Exception failure) when (options.Errors.Classify(failure) == DbErrorSeverity.Server)
        {
            ReportFatalError(connection, failure);
            return false;
        }
        finally
        {
            connection.EndWork();
        }
    }

    /// <summary>
    /// A validation has exceeded its timeout. A host that does not answer one connection answers none, and each of the others would cost a caller
    /// as long again.
    /// </summary>
    public void OnValidationGivenUp(PhysicalConnection silent)
    {
        ReportFatalError(silent, new TimeoutException("A connection did not answer in time."));
        OnCondemned(silent);
    }

    /// <summary>Cleans a connection whose user may have left anything behind.</summary>
    public async ValueTask<bool> ResetAsync(PhysicalConnection connection, CancellationToken cancellationToken)
    {
        if (!connection.TryBeginWork())
        {
            return false;
        }

        try
        {
            return await CleanAsync(connection, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            connection.EndWork();
        }
    }

    public ValueTask CloseAsync(PhysicalConnection connection) => _closer.CloseAsync(connection);

    /// <summary>The server failed in a way that says more than that one session is gone.</summary>
    public void ReportFatalError(PhysicalConnection connection, Exception exception)
    {
        if (connection.Origin is { } origin)
        {
            opener.OnFatalError(origin, exception);
        }
    }

    private async ValueTask<bool> CleanAsync(PhysicalConnection connection, CancellationToken cancellationToken)
    {
        var (reader, transaction) = (connection.OpenReader, connection.OpenTransaction);
        (connection.OpenReader, connection.OpenTransaction) = (null, null);
        if (connection.Reset.IsNone && (reader is not null || transaction is not null))
        {
            return false;
        }

        // A cancel request that was late would end the next statement.
        if (reader is not null && await _closer.EndAsync(reader.Reader.DisposeAsync().AsTask(), reader.Cancel).ConfigureAwait(false))
        {
            return false;
        }

        if (transaction is not null)
        {
            // Disposing rolls back what is open, and does nothing where the server has ended it.
            await transaction.DisposeAsync().ConfigureAwait(false);
        }

        if (connection.LastEnlistment is { } enlistment
            && !await TransactionExit.WaitAsync(connection.Inner, enlistment, options.Pool.TimeProvider, cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        if (connection.IsUnwrapped)
        {
            await connection.RenewAsync(cancellationToken).ConfigureAwait(false);
        }
        else if (!await connection.ResetAsync(cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        connection.Clean();
        return !connection.IsBroken;
    }

    private static bool IsUnreachable(Exception failure)
    {
        for (var cause = failure; cause is not null; cause = cause.InnerException)
        {
            if (cause is SocketException { SocketErrorCode: not SocketError.TimedOut })
            {
                return true;
            }
        }

        return false;
    }

    private async ValueTask<PhysicalConnection> AdoptAsync(DbConnection connection, object? origin, CancellationToken cancellationToken)
    {
        try
        {
            await _types.ReloadIfRequestedAsync(connection, opener.TypesOf(origin), cancellationToken).ConfigureAwait(false);
            _hasOpened = true;
            var reset = (options.Reset ?? SessionReset.For(connection)).On(connection);
            var captured = await reset.CaptureAsync(connection, cancellationToken).ConfigureAwait(false);
            return new PhysicalConnection(connection, origin, captured, reset) { HasPrepared = ProviderStrings.AutoPrepares(connection) };
        }
        catch
        {
            if (origin is not null)
            {
                opener.OnClosed(origin);
            }

            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
