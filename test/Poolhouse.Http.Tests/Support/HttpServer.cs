using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Poolhouse.Http.Tests.Support;

/// <summary>Kestrel in this process, on loopback, which counts its connections and the requests it works on.</summary>
internal sealed class HttpServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _open;
    private int _accepted;
    private int _peakOpen;
    private int _working;
    private int _peakWorking;
    private long _received;
    private long _wrong;

    private HttpServer(WebApplication app) => _app = app;

    public Uri Address { get; private set; } = null!;

    /// <summary>Connections that are open now.</summary>
    public int Open => Volatile.Read(ref _open);

    /// <summary>Connections so far.</summary>
    public int Accepted => Volatile.Read(ref _accepted);

    public int PeakOpen => Volatile.Read(ref _peakOpen);

    /// <summary>Bytes received after an early answer, and those of them that differ from the first of their request.</summary>
    public (long Received, long Wrong) Bytes => (Interlocked.Read(ref _received), Interlocked.Read(ref _wrong));

    /// <summary>Requests that are being answered now.</summary>
    public int Working => Volatile.Read(ref _working);

    public int PeakWorking => Volatile.Read(ref _peakWorking);

    public static async Task<HttpServer> StartAsync(HttpProtocols protocols = HttpProtocols.Http1)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        HttpServer? server = null;
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Listen(IPAddress.Loopback, 0, listen =>
            {
                listen.Protocols = protocols;
                listen.Use(next => connection => server!.CountAsync(next, connection));
            });
        });
        var app = builder.Build();
        server = new HttpServer(app);
        app.Run(server.AnswerAsync);
        await app.StartAsync(TestContext.Current.CancellationToken);
        server.Address = new Uri(app.Urls.Single());
        return server;
    }

    public Uri At(string path) => new(Address, path);

    /// <summary>Releases current and future requests at a gate.</summary>
    public void OpenGate() => _gate.TrySetResult();

    public async ValueTask DisposeAsync()
    {
        OpenGate();
        using var now = new CancellationTokenSource(TimeSpan.Zero);
        await _app.StopAsync(now.Token);
        await _app.DisposeAsync();
    }

    private static void Rise(ref int peak, int now)
    {
        for (var seen = Volatile.Read(ref peak); now > seen;)
        {
            var before = Interlocked.CompareExchange(ref peak, now, seen);
            if (before == seen)
            {
                return;
            }

            seen = before;
        }
    }

    private async Task CountAsync(ConnectionDelegate next, ConnectionContext connection)
    {
        Rise(ref _peakOpen, Interlocked.Increment(ref _open));

        // Last: whoever sees this one sees the others, too.
        Interlocked.Increment(ref _accepted);
        try
        {
            await next(connection);
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    private async Task AnswerAsync(HttpContext context)
    {
        Rise(ref _peakWorking, Interlocked.Increment(ref _working));
        var counted = 1;
        try
        {
            await AnswerAsync(context, Leave);
        }
        finally
        {
            Leave();
        }

        // Before the last byte: what the client does after it must not be counted beside this request.
        void Leave()
        {
            if (Interlocked.Exchange(ref counted, 0) == 1)
            {
                Interlocked.Decrement(ref _working);
            }
        }
    }

    private async Task CountWrongBytesAsync(HttpContext context)
    {
        var piece = new byte[4096];
        byte? first = null;
        try
        {
            while (await context.Request.Body.ReadAsync(piece, context.RequestAborted) is var count and > 0)
            {
                first ??= piece[0];
                Interlocked.Add(ref _received, count);
                Interlocked.Add(ref _wrong, count - piece.AsSpan(0, count).Count(first.Value));
            }
        }
        catch (Exception failure) when (failure is IOException or OperationCanceledException)
        {
            // The client has given up.
        }
    }

    private async Task AnswerAsync(HttpContext context, Action leave)
    {
        var gate = _gate.Task.WaitAsync(context.RequestAborted);
        var response = context.Response;
        switch (context.Request.Path.Value)
        {
            case "/silent":
                await gate;
                break;
            case "/slow-body":
                await response.WriteAsync("first", context.RequestAborted);
                await response.Body.FlushAsync(context.RequestAborted);
                await gate;
                leave();
                await response.WriteAsync("second", context.RequestAborted);
                break;
            case "/reset":
                response.ContentLength = 1_000;
                await response.WriteAsync("first", context.RequestAborted);
                await response.Body.FlushAsync(context.RequestAborted);
                await gate;
                leave();
                context.Abort();
                break;
            case "/yield":
                await Task.Yield();
                leave();
                await response.WriteAsync("hello", context.RequestAborted);
                break;
            case "/sign-in":
                response.Cookies.Append("user", "ann");
                break;
            case "/user":
                leave();
                await response.WriteAsync(context.Request.Cookies["user"] ?? "nobody", context.RequestAborted);
                break;
            case "/early":
                // The response comes before the content has been read.
                await response.Body.FlushAsync(context.RequestAborted);
                await CountWrongBytesAsync(context);
                break;
            case "/grpc/Stream":
                // One message of one byte, and the end of the stream behind the gate.
                response.ContentType = "application/grpc";
                await response.Body.WriteAsync(new byte[] { 0, 0, 0, 0, 1, 7 }, context.RequestAborted);
                await response.Body.FlushAsync(context.RequestAborted);
                await gate;
                leave();
                response.AppendTrailer("grpc-status", "0");
                break;
            case "/empty":
                response.StatusCode = StatusCodes.Status204NoContent;
                break;
            default:
                leave();
                response.ContentLength = 5;
                await response.WriteAsync("hello", context.RequestAborted);
                break;
        }
    }
}
