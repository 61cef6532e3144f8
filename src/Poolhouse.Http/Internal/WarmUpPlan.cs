using System.Globalization;
using Poolhouse.Servers.Internal;

namespace Poolhouse.Http.Internal;

/// <summary>A warm-up that can be repeated for the replacement of a shard that was warmed up.</summary>
internal sealed class WarmUpPlan
{
    private readonly Uri _address;
    private readonly int _connections;
    private readonly HttpWarmUpOptions _options;

    public WarmUpPlan(Uri address, int connections, HttpWarmUpOptions? options)
    {
        ArgumentNullException.ThrowIfNull(address);
        if (!address.IsAbsoluteUri)
        {
            throw new ArgumentException(
                "The address of a warm-up must be absolute, for example http://server/health, unless the client is an " +
                "HttpClient with a BaseAddress.", nameof(address));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(connections, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(connections, 10_000);
        _address = address;
        _connections = connections;
        _options = (options ?? new HttpWarmUpOptions()).Freeze();
    }

    public async Task RunAsync(HttpMessageInvoker client, CancellationToken cancellationToken)
    {
        var meeting = new WarmUpBarrier(_connections);
        using var deadline = new TimeLimit(_options.Timeout, _options.TimeProvider);
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, deadline.Token);
        var sending = new List<Task>(_connections);
        for (var i = 0; i < _connections; i++)
        {
#pragma warning disable CA2025 // All are awaited below.
            sending.Add(SendAsync(client, meeting, ending));
#pragma warning restore CA2025
        }

        try
        {
            await Task.WhenAll(sending).ConfigureAwait(false);
        }
        catch (Exception) when (meeting.Failure is { } failure)
        {
            // The first; it has ended the others.
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(failure);
            throw;
        }
        catch (OperationCanceledException late)
            when (deadline.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            var limit = string.Create(CultureInfo.InvariantCulture, $"{_options.Timeout.TotalSeconds:0.###} s");
            var message = string.Create(
                CultureInfo.InvariantCulture,
                $"Warm-up of {Endpoint.Of(_address)}: {meeting.Arrived} of {_connections} connections were open within " +
                $"{limit}. Request no more than the handlers allow (MaxConnectionsPerServer, MaxPerEndpoint); " +
                $"otherwise find out why connecting is slow, or raise Timeout.");
            throw new TimeoutException(message, late);
        }
    }

    private async Task SendAsync(HttpMessageInvoker client, WarmUpBarrier meeting, CancellationTokenSource ending)
    {
        using var request = new HttpRequestMessage(_options.Method, _address)
        {
            Version = _options.Version,
            VersionPolicy = _options.VersionPolicy,
            Content = new WarmUpContent(meeting, ending.Token),
        };
        try
        {
            using var response = await client.SendAsync(request, ending.Token).ConfigureAwait(false);
            await response.Content.CopyToAsync(Stream.Null, ending.Token).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is not OperationCanceledException || !ending.IsCancellationRequested)
        {
            meeting.Fail(failure is OperationCanceledException ? NotByTheWarmUp(failure) : failure);
            await ending.CancelAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The failure of a request that a handler or the client cancelled, for instance after a timeout.</summary>
    private HttpRequestException NotByTheWarmUp(Exception cancelled) => new(
        $"Warm-up of {Endpoint.Of(_address)}: a handler or the client cancelled a request: {cancelled.Message} Find out why " +
        $"connecting is slow, or raise the timeout (SocketsHttpHandler.ConnectTimeout, HttpClient.Timeout).",
        cancelled);
}
