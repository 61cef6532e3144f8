using System.DirectoryServices.Protocols;
using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using Poolhouse.Ldap.Internal;

namespace Poolhouse.Ldap;

public sealed partial class LdapConnectionPool
{
    /// <summary>Sends a request on a connection bound as the service.</summary>
    /// <typeparam name="TResponse">The response type that matches the request: <see cref="SearchResponse"/> for a
    /// <see cref="SearchRequest"/>.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancels the wait, at any time; if the request was already sent, the connection is
    /// destroyed.</param>
    /// <returns>The response.</returns>
    /// <exception cref="ArgumentException">The request has responses of another kind, or changes its connection.</exception>
    /// <exception cref="DirectoryOperationException">
    /// The server refused the operation, or referred to another server. Referrals are not followed.
    /// </exception>
    /// <exception cref="LdapException">There is no response: 81 if the server was lost, 85 after
    /// <see cref="LdapPoolOptions.OperationTimeout"/>.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <remarks>
    /// It also throws the exceptions of <see cref="RentAsync(CancellationToken)"/>. For more than a page of entries use
    /// <see cref="SearchPagedAsync"/>.
    /// </remarks>
    public async ValueTask<TResponse> SendAsync<TResponse>(
        DirectoryRequest request, CancellationToken cancellationToken = default)
        where TResponse : DirectoryResponse
    {
        ArgumentNullException.ThrowIfNull(request);
        ThrowIfNotPoolable(request, typeof(TResponse));
        var response = await UseAsync(
            _operate,
            static (connection, request) => LdapReferrals.ThrowIfReferred(connection.SendRequest(request)),
            request,
            _options.Retries.HasFlag(LdapResults.KindOf(request)),
            cancellationToken).ConfigureAwait(false);
        return (TResponse)response;
    }

    /// <summary>Checks a password by a simple bind, on a connection that is used only for this purpose.</summary>
    /// <param name="distinguishedName">The user whose password is checked. Active Directory also accepts a user principal
    /// name.</param>
    /// <param name="password">The password. An empty password is rejected without a request: servers answer "success" to such a
    /// bind, although it proves nothing.</param>
    /// <param name="cancellationToken">Cancels the wait, at any time.</param>
    /// <returns>Whether the server accepted it; false for result 49 (invalid credentials) and for an empty password.</returns>
    /// <exception cref="ArgumentException">The name is empty, blank, or holds a null character: the bind would be
    /// anonymous.</exception>
    /// <exception cref="LdapException">There is no answer: 81 if the server was lost, 85 after
    /// <see cref="LdapPoolOptions.OperationTimeout"/>.</exception>
    /// <exception cref="DirectoryOperationException">The server refused to check it.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <remarks>It also throws the exceptions of <see cref="RentAsync(CancellationToken)"/>.</remarks>
    public async ValueTask<bool> AuthenticateAsync(
        string distinguishedName, string password, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(distinguishedName);
        ArgumentNullException.ThrowIfNull(password);
        if (distinguishedName.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException(
                "A distinguished name must not contain a null character: libldap would truncate it there, and an empty name " +
                "binds anonymously.", nameof(distinguishedName));
        }

        // libldap also ends the password at a null character.
        return password.Length > 0 && !password.Contains('\0', StringComparison.Ordinal) && await UseAsync(
            _verify,
            static (connection, credential) => Accepts(connection, credential),
            new NetworkCredential(distinguishedName, password),
            _options.Retries.HasFlag(LdapRetries.Authenticate),
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns the identity of the service according to the directory ("Who am I?", RFC 4532).</summary>
    /// <param name="cancellationToken">Cancels the wait, at any time.</param>
    /// <returns>An authorization identity such as <c>dn:cn=app,dc=example,dc=org</c>; empty for anonymous connections.</returns>
    /// <exception cref="DirectoryOperationException">The server does not support the request.</exception>
    /// <remarks>
    /// The request is sent again, once, if the pooled connection turns out to be dead. It also throws the exceptions of
    /// <see cref="SendAsync{TResponse}"/>.
    /// </remarks>
    public ValueTask<string> WhoAmIAsync(CancellationToken cancellationToken = default) => UseAsync(
        _operate, static (connection, _) => LdapOpener.WhoAmI(connection), argument: false, retries: true, cancellationToken);

    /// <summary>Searches page by page (RFC 2696) and returns the entries one by one.</summary>
    /// <param name="request">The search. It is not changed, and must not contain a paging control itself.</param>
    /// <param name="pageSize">The number of entries per page: 1 or more. Active Directory returns at most 1,000.</param>
    /// <param name="cancellationToken">Cancels the search, at any time.</param>
    /// <returns>The entries. References to other servers are omitted.</returns>
    /// <exception cref="ArgumentException">The request holds a control for pages.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The page size is less than 1.</exception>
    /// <remarks>
    /// The server keeps the position in the search for one connection only, so one lease is held from the first page to the last;
    /// complete the enumeration promptly. If it ends early, the server is notified; if it is cancelled before the last page was
    /// received, the connection is destroyed instead. Each enumeration is a separate search, which starts with the first page;
    /// several may run at the same time. It also throws the exceptions of <see cref="SendAsync{TResponse}"/>.
    /// </remarks>
    public IAsyncEnumerable<SearchResultEntry> SearchPagedAsync(
        SearchRequest request, int pageSize = 500, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentOutOfRangeException.ThrowIfLessThan(pageSize, 1);
        return EnumerateAsync(PagedSearch.Copy(request), pageSize, cancellationToken);
    }

    private async IAsyncEnumerable<SearchResultEntry> EnumerateAsync(
        SearchRequest request, int pageSize, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var search = new PagedSearch(request, pageSize);
        var retries = _options.Retries.HasFlag(LdapRetries.Search);
        var (lease, response) = await BeginUseAsync(_operate, search.Send, retries, cancellationToken).ConfigureAwait(false);
        try
        {
            while (true)
            {
                search.Take(response);
                foreach (SearchResultEntry entry in response.Entries)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    yield return entry;
                }

                if (!search.HasMore)
                {
                    break;
                }

                try
                {
                    response = await CallAsync(lease, search.Send, cancellationToken).ConfigureAwait(false);
                }
                catch (LdapException failure) when (failure.ErrorCode == LdapResults.TimedOut)
                {
                    // Its end would wait as long again for a thread.
                    lease.Value.Break();
                    throw;
                }
            }
        }
        finally
        {
            await EndAsync(search, lease, cancellationToken).ConfigureAwait(false);
        }
    }

    private async ValueTask EndAsync(
        PagedSearch search, Lease<PooledLdapConnection> lease, CancellationToken cancellationToken)
    {
        var connection = lease.Value;
        if (search.HasMore && !connection.IsBroken)
        {
            try
            {
                await CallAsync(lease, search.SendEnd, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception failure) when (failure is LdapException or DirectoryOperationException or ObjectDisposedException
                or OperationCanceledException)
            {
                // The server keeps the state of the search until the connection is closed, so it is closed.
                connection.Break();
            }
        }

        await lease.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<TResult> UseAsync<TArgument, TResult>(
        ResourcePool<PooledLdapConnection> pool,
        Func<PooledLdapConnection, TArgument, TResult> work,
        TArgument argument,
        bool retries,
        CancellationToken cancellationToken)
    {
        var (lease, result) =
            await BeginUseAsync(pool, connection => work(connection, argument), retries, cancellationToken).ConfigureAwait(false);
        await lease.DisposeAsync().ConfigureAwait(false);
        return result;
    }

    // Retries once on another connection, if this one was used before and has lost its server meanwhile.
    private async ValueTask<(Lease<PooledLdapConnection> Lease, TResult Result)> BeginUseAsync<TResult>(
        ResourcePool<PooledLdapConnection> pool, Func<PooledLdapConnection, TResult> work, bool retries,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            var lease = await pool.RentAsync(cancellationToken).ConfigureAwait(false);
            var wasUsed = lease.Info.Uses > 1;
            try
            {
                return (lease, await CallAsync(lease, work, cancellationToken).ConfigureAwait(false));
            }
            catch (LdapException failure) when (retries && wasUsed && failure.ErrorCode == LdapResults.ServerDown)
            {
                await lease.DisposeAsync().ConfigureAwait(false);
                retries = false;
            }
            catch
            {
                await lease.DisposeAsync().ConfigureAwait(false);
                throw;
            }
        }
    }

    /// <summary>
    /// Uses a leased connection on one of the pool's threads. If the caller no longer waits for the end, the connection is
    /// broken.
    /// </summary>
    private async ValueTask<TResult> CallAsync<TResult>(
        Lease<PooledLdapConnection> lease, Func<PooledLdapConnection, TResult> work, CancellationToken cancellationToken)
    {
        var connection = lease.Value;
        var call = new LdapCall<TResult>(() => work(connection), onLate: null);
        try
        {
            return await _threads.RunAsync(call, _options.OperationTimeout, "send", cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException late) when (!call.WasRunning)
        {
            throw new LdapException(
                LdapResults.TimedOut,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Pool '{Name}': no thread was free within OperationTimeout ({_options.OperationTimeout}), because all of " +
                    $"MaxThreads ({_threads.Max}) are inside calls. The request was not sent. Raise MaxThreads " +
                    $"if the directory answers in time; otherwise check whether the server hangs."),
                late);
        }
        catch (TimeoutException late)
        {
            connection.Break();
            throw new LdapException(
                LdapResults.TimedOut,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Pool '{Name}': the directory did not answer within OperationTimeout ({_options.OperationTimeout}). The " +
                    $"connection is destroyed. Raise OperationTimeout if operations need that long; otherwise check whether " +
                    $"the server hangs."),
                late);
        }
        catch (OperationCanceledException)
        {
            if (call.WasRunning)
            {
                connection.Break();
            }

            throw;
        }
    }

    private static bool Accepts(PooledLdapConnection connection, NetworkCredential credential)
    {
        try
        {
            connection.BindUser(credential);
            return true;
        }
        catch (LdapException refused) when (refused.ErrorCode == LdapResults.InvalidCredentials)
        {
            return false;
        }
    }

    private static void ThrowIfNotPoolable(DirectoryRequest request, Type wanted)
    {
        if (LdapResults.ChangesTheConnection(request))
        {
            throw new ArgumentException(
                "The request would change the state of its connection (StartTLS, fast bind or a transaction). Rent a " +
                "connection and send the request on it; the pool then destroys that connection.", nameof(request));
        }

        var given = LdapResults.ResponseOf(request);
        if (!wanted.IsAssignableFrom(given))
        {
            throw new ArgumentException(
                $"The response to a {request.GetType().Name} is a {given.Name}, not a {wanted.Name}.", nameof(request));
        }
    }
}
