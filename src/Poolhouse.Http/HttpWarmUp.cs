using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>Opens connections before traffic arrives.</summary>
public static class HttpWarmUp
{
    /// <summary>
    /// Opens the given number of connections with real requests, which are held open until each has a connection.
    /// </summary>
    /// <param name="client">A client, or an invoker around a handler. The handler must allow this many concurrent
    /// requests.</param>
    /// <param name="address">An address that is cheap to request, on the host to connect to; absolute, or relative to
    /// <see cref="HttpClient.BaseAddress"/>.</param>
    /// <param name="connections">The number of connections; 1 to 10,000. Over HTTP/1.1 each request uses its own
    /// connection.</param>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Cancels the warm-up; open connections stay open.</param>
    /// <returns>A task that completes when all requests have been answered.</returns>
    /// <remarks>
    /// <para>
    /// A request has a connection once its body is requested. Each body is empty and is delayed until all requests have reached
    /// this point, so that no request can reuse the connection of another one.
    /// </para>
    /// <para>
    /// Idle connections are closed after <see cref="SocketsHttpHandler.PooledConnectionIdleTimeout"/>, which is one minute by
    /// default.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="client"/> or <paramref name="address"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="connections"/> is out of range.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid; the message names every invalid setting. Or <paramref name="address"/> is relative, and the client
    /// has no base address.
    /// </exception>
    /// <exception cref="HttpRequestException">
    /// A connection could not be opened, or a handler or the client cancelled a request after a timeout; the remaining requests
    /// are abandoned.
    /// </exception>
    /// <exception cref="TimeoutException">Not all connections were open in time.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    public static Task WarmUpAsync(
        this HttpMessageInvoker client,
        Uri address,
        int connections,
        HttpWarmUpOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        if (address is { IsAbsoluteUri: false } && client is HttpClient { BaseAddress: { } root })
        {
            address = new Uri(root, address);
        }

        return new WarmUpPlan(address, connections, options).RunAsync(client, cancellationToken);
    }
}
