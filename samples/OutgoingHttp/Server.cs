using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Poolhouse.Samples.OutgoingHttp;

/// <summary>The service that is called: in this process, so that the sample needs nothing else.</summary>
internal sealed class Server : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _working;
    private int _peak;
    private int _connections;

    private Server(WebApplication app) => _app = app;

    public Uri Quote { get; private set; } = null!;

    /// <summary>The most requests that were worked on at once.</summary>
    public int Peak => Volatile.Read(ref _peak);

    /// <summary>The connections accepted so far.</summary>
    public int Connections => Volatile.Read(ref _connections);

    public static async Task<Server> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        Server? server = null;
        builder.WebHost.ConfigureKestrel(kestrel =>
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Use(next => connection =>
        {
            Interlocked.Increment(ref server!._connections);
            return next(connection);
        })));
        var app = builder.Build();
        server = new Server(app);
        app.MapGet("/quote", server.QuoteAsync);
        await app.StartAsync();
        server.Quote = new Uri(new Uri(app.Urls.Single()), "/quote");
        return server;
    }

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();

    private async Task QuoteAsync(HttpContext context)
    {
        var working = Interlocked.Increment(ref _working);
        for (var seen = Peak; working > seen; seen = Peak)
        {
            Interlocked.CompareExchange(ref _peak, working, seen);
        }

        await Task.Yield();
        Interlocked.Decrement(ref _working);
        await context.Response.WriteAsync("All that glitters is not gold.", context.RequestAborted);
    }
}
