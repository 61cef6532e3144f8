using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Poolhouse.Extensions.Tests.AspNetCore;

/// <summary>A real Kestrel that takes its memory from a pool of Poolhouse.</summary>
public sealed class ServerMemory : IAsyncDisposable
{
    private readonly WebApps _apps = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Requests_use_memory_of_the_pool_which_shrinks_when_it_is_idle()
    {
        using var meter = new Meter("test");
        var body = new byte[100_000];
        new Random(1).NextBytes(body);
        var (app, client) = await _apps.StartAsync(
            services => services.AddPoolhouseKestrelMemory(options => options.Meter = meter),
            static app => app.MapPost(
                "/echo", static async (HttpContext context) => await context.Request.Body.CopyToAsync(context.Response.Body)));
        using (client)
        {
            for (var request = 0; request < 20; request++)
            {
                using var content = new ByteArrayContent(body);
                using var response = await client.PostAsync(new Uri("/echo", UriKind.Relative), content, Token);
                Assert.Equal(body, await response.Content.ReadAsByteArrayAsync(Token));
            }
        }

        Assert.InRange(Read(meter, "poolhouse.pool.rents"), 20, long.MaxValue);
        Assert.InRange(Read(meter, "poolhouse.pool.idle.size"), 4096, ArrayPoolOptions.DefaultMaxRetainedBytes);

        await app.StopAsync(Token);
        Assert.Equal(Read(meter, "poolhouse.pool.rents"), Read(meter, "poolhouse.pool.returns"));
        for (var second = 0; second < 30; second++)
        {
            _apps.Time.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal(0, Read(meter, "poolhouse.pool.idle.size"));
    }

    [Fact]
    public void The_server_keeps_its_own_memory_unless_the_app_opts_in()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddPoolhouse().AddPoolhouseProblemDetails();
        using var services = builder.Services.BuildServiceProvider();

        Assert.DoesNotContain(
            "Poolhouse", services.GetService<IMemoryPoolFactory<byte>>()?.GetType().FullName ?? "none", StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_leases_of_a_request_have_the_route_of_its_endpoint_as_label()
    {
        var (_, client) = await _apps.StartAsync(
            static services => services.AddResourcePool(
                static (_, _) => ValueTask.FromResult(new object()), "main",
                static options => (options.MaxSize, options.LabelLeases) = (2, true)),
            static app =>
            {
                app.UseLeaseLabels();
                app.MapGet("/orders/{customer}", static async ([FromKeyedServices("main")] ResourcePool<object> pool) =>
                {
                    await using var lease = await pool.RentAsync();
                    return pool.GetLeases(1)[0].Label;
                });
                app.MapFallback(static context => context.Response.WriteAsync(LeaseLabel.Current ?? "none"));
            });
        using var owned = client;

        Assert.Equal("/orders/{customer}", await client.GetStringAsync(new Uri("/orders/ada", UriKind.Relative), Token));
        Assert.DoesNotContain(
            "ada", await client.GetStringAsync(new Uri("/ada", UriKind.Relative), Token), StringComparison.Ordinal);
        Assert.Null(LeaseLabel.Current);
    }

    public ValueTask DisposeAsync() => _apps.DisposeAsync();

    private static long Read(Meter meter, string name)
    {
        var sum = 0L;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == meter && string.Equals(instrument.Name, name, StringComparison.Ordinal))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, _, _) => sum += value);
        listener.Start();
        listener.RecordObservableInstruments();
        return sum;
    }
}
