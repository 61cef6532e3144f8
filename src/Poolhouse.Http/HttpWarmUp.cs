using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>Opens connections before the traffic comes.</summary>
public static class HttpWarmUp
{
    /// <summary>Opens so many connections by real requests, which are held open together until all have got one.</summary>
    /// <param name="client">A client, or an invoker around a handler. What it sends through has to allow as many requests at
    /// once.</param>
    /// <param name="address">An absolute address that is cheap to ask for, on the host to connect to.</param>
    /// <param name="connections">How many; 1 to 10,000. Over HTTP/1.1 each request has a connection of its own.</param>
    /// <param name="options">The settings; <c>null</c> for the default ones.</param>
    /// <param name="cancellationToken">Ends the warm-up; connections that are open stay open.</param>
    /// <returns>A task that completes when all requests were answered.</returns>
    /// <remarks>
    /// <para>
    /// A request has got a connection when its body is asked for. Each has an empty one, and lets itself be asked until all
    /// others have got there: so no request can have used a connection that another was done with.
    /// </para>
    /// <para>
    /// Idle connections are closed after <see cref="SocketsHttpHandler.PooledConnectionIdleTimeout"/>, which is a minute.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="client"/> or <paramref name="address"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="connections"/> is out of range.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    /// <exception cref="HttpRequestException">A connection could not be opened; the others are given up.</exception>
    /// <exception cref="TimeoutException">Not all were open in time.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    public static Task WarmUpAsync(
        this HttpMessageInvoker client,
        Uri address,
        int connections,
        HttpWarmUpOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return new WarmUpPlan(address, connections, options).RunAsync(client, cancellationToken);
    }
}
