using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Poolhouse.Tool.Bench.Http;

/// <summary>
/// The service under load: Kestrel in this process, on loopback. It counts its sockets, and slows down under too many
/// concurrent requests.
/// </summary>
internal sealed class Service : IAsyncDisposable
{
    /// <summary>How many requests it works on at full speed.</summary>
    public const int Workers = 8;

    private const int Slices = 4;
    private static readonly byte[] _answer = "hello"u8.ToArray();

    private readonly WebApplication _app;
    private readonly TimeProvider _time;
    private readonly TimeSpan _work;
    private readonly Action _connected;
    private readonly Action _requested;
    private int _sockets;
    private int _working;
    private int _isStopped;

    private Service(WebApplication app, TimeProvider time, TimeSpan work, Action? connected, Action? requested) =>
        (_app, _time, _work, _connected, _requested) =
            (app, time, work, connected ?? (static () => { }), requested ?? (static () => { }));

    public Uri Address { get; private set; } = new("http://localhost/");

    public int Port => Address.Port;

    /// <summary>The sockets accepted so far.</summary>
    public int Sockets => Volatile.Read(ref _sockets);

    /// <param name="time">The clock.</param>
    /// <param name="work">How long a request takes at full speed; zero: it is answered at once.</param>
    /// <param name="connected">Called for each socket.</param>
    /// <param name="requested">Called for each request.</param>
    /// <param name="cancellation">Ends the start.</param>
    public static async Task<Service> StartAsync(
        TimeProvider time, TimeSpan work, Action? connected, Action? requested, CancellationToken cancellation)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        Service? service = null;
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(
            IPAddress.Loopback, 0, listen => listen.Use(next => connection => service!.CountAsync(next, connection))));
        var app = builder.Build();
        service = new Service(app, time, work, connected, requested);
        app.Run(service.AnswerAsync);
        await app.StartAsync(cancellation).ConfigureAwait(false);
        service.Address = new Uri(app.Urls.Single());
        return service;
    }

    /// <summary>Closes every socket at once.</summary>
    public async Task StopAsync()
    {
        if (Interlocked.Exchange(ref _isStopped, 1) == 0)
        {
            using var now = new CancellationTokenSource();
            await now.CancelAsync().ConfigureAwait(false);
            await _app.StopAsync(now.Token).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync().ConfigureAwait(false);
        await _app.DisposeAsync().ConfigureAwait(false);
    }

    private Task CountAsync(ConnectionDelegate next, ConnectionContext connection)
    {
        Interlocked.Increment(ref _sockets);
        _connected();
        return next(connection);
    }

    private async Task AnswerAsync(HttpContext context)
    {
        _requested();
        Interlocked.Increment(ref _working);
        try
        {
            // Concurrent requests share the workers: with twice as many, each takes twice as long.
            for (var slice = 0; slice < Slices && _work > TimeSpan.Zero; slice++)
            {
                var crowd = Math.Max(1, (double)Volatile.Read(ref _working) / Workers);
                await Task.Delay(_work / Slices * crowd, _time, context.RequestAborted).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The caller has disconnected.
            return;
        }
        finally
        {
            Interlocked.Decrement(ref _working);
        }

        context.Response.ContentType = "text/plain";
        context.Response.ContentLength = _answer.Length;
        await context.Response.Body.WriteAsync(_answer, context.RequestAborted).ConfigureAwait(false);
    }
}
