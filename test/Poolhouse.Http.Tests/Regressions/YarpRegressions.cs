using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Poolhouse.Http.Tests.Support;
using Yarp.ReverseProxy.Forwarder;

namespace Poolhouse.Http.Tests.Regressions;

/// <summary>A bulkhead between a reverse proxy and its destinations.</summary>
public sealed class YarpRegressions
{
    private const string Reason = "X-Reason";

    [Theory]
    [InlineData("/silent")]
    [InlineData("/slow-body")]
    public async Task Yarp_394_requests_beyond_the_limit_of_a_destination_are_refused_and_every_permit_is_released(string path)
    {
        await using var destination = await HttpServer.StartAsync();
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 2, MaxWaiters = 0 });
        using var invoker = new HttpMessageInvoker(new BulkheadHandler(bulkhead, new SocketsHttpHandler { UseProxy = false }));
        await using var proxy = await StartAsync(destination, invoker);
        using var client = new HttpClient { BaseAddress = new Uri(proxy.Urls.Single()) };
        using var giveUp = new CancellationTokenSource();
        var abandoned = client.GetStringAsync(new Uri(path, UriKind.Relative), giveUp.Token);
        var kept = client.GetStringAsync(new Uri(path, UriKind.Relative));
        await Patience.UntilAsync(() => destination.Working == 2, "both requests to reach the destination");

        using (var refused = await Patience.WithinAsync(client.GetAsync(new Uri("/", UriKind.Relative))))
        {
            Assert.Equal(HttpStatusCode.BadGateway, refused.StatusCode);
            Assert.Equal(["QueueFull"], refused.Headers.GetValues(Reason));
        }

        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(abandoned));
        await Patience.UntilAsync(() => bulkhead.GetStatistics().Leased == 1, "the permit of the client that gave up");

        // The destination notices later than the bulkhead that the client gave up.
        await Patience.UntilAsync(() => destination.Working == 1, "the destination to end that request");
        Assert.Equal("hello", await Patience.WithinAsync(client.GetStringAsync(new Uri("/", UriKind.Relative))));
        destination.OpenGate();
        await Patience.WithinAsync(kept);

        await Patience.UntilAsync(() => bulkhead.GetStatistics().Leased == 0, "all permits");
        Assert.Equal((2, 1L), (destination.PeakWorking, bulkhead.GetStatistics().Shed));
    }

    private static async Task<WebApplication> StartAsync(HttpServer destination, HttpMessageInvoker invoker)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        builder.Services.AddHttpForwarder();
        var app = builder.Build();
        var forwarder = app.Services.GetRequiredService<IHttpForwarder>();
        app.Run(async context =>
        {
            await forwarder.SendAsync(context, destination.Address.ToString(), invoker);
            if (context.GetForwarderErrorFeature()?.Exception is BulkheadRejectedException refusal
                && !context.Response.HasStarted)
            {
                context.Response.Headers[Reason] = string.Create(CultureInfo.InvariantCulture, $"{refusal.Reason}");
            }
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return app;
    }
}
