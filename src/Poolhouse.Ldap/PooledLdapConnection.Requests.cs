using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Internal;

namespace Poolhouse.Ldap;

public sealed partial class PooledLdapConnection
{
    private readonly BegunRequests _begun;

    /// <summary>Sends a request and blocks until its response arrives.</summary>
    /// <param name="request">The request.</param>
    /// <returns>The response.</returns>
    /// <exception cref="LdapException">There is no response; the connection is destroyed after the lease.</exception>
    /// <exception cref="DirectoryOperationException">The server refused the operation.</exception>
    public override DirectoryResponse SendRequest(DirectoryRequest request) => SendRequest(request, Timeout);

    /// <summary>Sends a request and blocks until its response arrives.</summary>
    /// <param name="request">The request.</param>
    /// <param name="requestTimeout">How long the request may take, if libldap honours it.</param>
    /// <returns>The response.</returns>
    /// <exception cref="LdapException">There is no response; the connection is destroyed after the lease.</exception>
    /// <exception cref="DirectoryOperationException">The server refused the operation.</exception>
    public new DirectoryResponse SendRequest(DirectoryRequest request, TimeSpan requestTimeout)
    {
        Enter();
        try
        {
            Inspect(request);
            var response = base.SendRequest(request, requestTimeout);
            Inspect(response);
            return response;
        }
        catch (Exception failure)
        {
            Inspect(failure);
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Begins a request. The connection cannot be reused until <see cref="EndSendRequest"/> has returned: it is destroyed
    /// if the lease ends before.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="partialMode">Whether partial results of a search can be retrieved early.</param>
    /// <param name="callback">Called when the response has arrived.</param>
    /// <param name="state">An object of the caller's choice.</param>
    /// <returns>The handle to pass to <see cref="EndSendRequest"/>.</returns>
    public new IAsyncResult BeginSendRequest(
        DirectoryRequest request, PartialResultProcessing partialMode, AsyncCallback callback, object state) =>
        BeginSendRequest(request, Timeout, partialMode, callback, state);

    /// <inheritdoc cref="BeginSendRequest(DirectoryRequest, PartialResultProcessing, AsyncCallback, object)"/>
    /// <param name="requestTimeout">How long the request may take.</param>
#pragma warning disable CS1573 // The others are inherited.
    public new IAsyncResult BeginSendRequest(
        DirectoryRequest request, TimeSpan requestTimeout, PartialResultProcessing partialMode, AsyncCallback callback,
        object state)
#pragma warning restore CS1573
    {
        Enter();
        Interlocked.Increment(ref _unfit);
        try
        {
            Inspect(request);
            var handle = base.BeginSendRequest(request, requestTimeout, partialMode, _begun.Recorded(callback), state);
            _begun.Add(handle);
            return handle;
        }
        catch (Exception failure)
        {
            Interlocked.Decrement(ref _unfit);
            Inspect(failure);
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Blocks until the response to a request that was begun on this connection has arrived. If it was begun on another one,
    /// both connections are destroyed after their leases.
    /// </summary>
    /// <param name="asyncResult">The handle returned by
    /// <see cref="BeginSendRequest(DirectoryRequest, PartialResultProcessing, AsyncCallback, object)"/>.</param>
    /// <returns>The response.</returns>
    public new DirectoryResponse EndSendRequest(IAsyncResult asyncResult)
    {
        var begunOn = BegunRequests.Find(asyncResult) ?? this;
        Enter();
        try
        {
            var response = base.EndSendRequest(asyncResult);
            EndPending(asyncResult);
            begunOn.Inspect(response);
            return response;
        }
        catch (Exception failure)
        {
            // A call with a foreign object ends no request.
            if (failure is not ArgumentException)
            {
                EndPending(asyncResult);
            }

            begunOn.Inspect(failure);
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Aborts a request. The connection is destroyed after the lease.</summary>
    /// <param name="asyncResult">The handle returned by
    /// <see cref="BeginSendRequest(DirectoryRequest, PartialResultProcessing, AsyncCallback, object)"/>.</param>
    public new void Abort(IAsyncResult asyncResult)
    {
        Break();
        base.Abort(asyncResult);
    }

    /// <summary>Returns the partial results of a search that have arrived so far.</summary>
    /// <param name="asyncResult">The handle returned by
    /// <see cref="BeginSendRequest(DirectoryRequest, PartialResultProcessing, AsyncCallback, object)"/>.</param>
    /// <returns>The partial results.</returns>
    public new PartialResultsCollection GetPartialResults(IAsyncResult asyncResult)
    {
        try
        {
            return base.GetPartialResults(asyncResult);
        }
        catch (Exception failure)
        {
            (BegunRequests.Find(asyncResult) ?? this).Inspect(failure);
            throw;
        }
    }

    // The base class ends requests of all connections, and one request twice if two threads end it at the same moment. Only the
    // first end of a request that was begun here ends one of those that are counted here.
    private void EndPending(IAsyncResult handle)
    {
        if (_begun.TryRemove(handle))
        {
            Interlocked.Decrement(ref _unfit);
        }
        else
        {
            Break();
        }
    }

    private void Inspect(DirectoryRequest request)
    {
        LdapReferrals.ThrowIfFollowed(base.SessionOptions, _security);
        if (LdapResults.ChangesTheConnection(request))
        {
            Break();
        }
    }

    private void Inspect(DirectoryResponse? response)
    {
        if (response is { ResultCode: ResultCode.Unavailable })
        {
            MarkLost(failure: null);
        }
    }

    private void Inspect(Exception failure)
    {
        if (LdapResults.IsLost(failure))
        {
            MarkLost(failure);
        }
        else if (LdapResults.BreaksTheConnection(failure))
        {
            Break();
        }
    }

    internal void MarkLost(Exception? failure)
    {
        Break();
        if (_serverLoss.ReportLost(_createdAt))
        {
            Origin?.ReportFailure(failure);
        }
    }
}
