using System.Text;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Poolhouse.Samples.HostedPools;

/// <summary>Further registrations that the guide shows.</summary>
internal static class Examples
{
    public static void AddPrinters(WebApplicationBuilder builder)
    {
        // snippet: hosting-saturation
        builder.Services
            .AddResourcePool(
                (_, _) => ValueTask.FromResult(File.OpenWrite("/dev/usb/lp0")), "printer", options => options.MaxSize = 2)
            .AddHealthCheck(configure: check => check.SaturatedStatus = HealthStatus.Unhealthy);
        // end snippet
    }

    public static void AddTexts(WebApplicationBuilder builder)
    {
        // snippet: hosting-objects
        builder.Services.AddObjectPool(_ => new StringBuilder(256), text => text.Clear().Capacity <= 4096);
        // end snippet
    }

    public static WebApplication ShowPools(WebApplicationBuilder builder)
    {
        // snippet: hosting-web
        builder.Services.AddPoolhouseProblemDetails();

        var app = builder.Build();
        app.UseExceptionHandler();
        app.MapPoolhouse("/pools");
        // end snippet
        return app;
    }

    public static void AddStaff(WebApplicationBuilder builder)
    {
        // snippet: hosting-ldap
        builder.Services
            .AddLdapPool(services => services.GetRequiredService<IConfiguration>().GetConnectionString("staff")!, "staff")
            .BindConfiguration()
            .WarmUp(2)
            .DrainOnShutdown()
            .AddHealthCheck();
        // end snippet
    }

    public static WebApplication ShowHolders(WebApplicationBuilder builder)
    {
        var app = builder.Build();

        // snippet: hosting-labels
        app.UseLeaseLabels();
        // end snippet
        return app;
    }

    public static void UsePooledMemory(WebApplicationBuilder builder)
    {
        // snippet: hosting-kestrel
        builder.Services.AddPoolhouseKestrelMemory(options => options.MaxRetainedBytes = 64L << 20);
        // end snippet
    }

    // snippet: aspire
    public static void AddPooledOrders(this IHostApplicationBuilder builder, string connectionName)
    {
        var name = connectionName;
        builder.Services
            .AddPooledDataSource(
                SqliteFactory.Instance,
                services => services.GetRequiredService<IConfiguration>().GetConnectionString(name)
                    ?? throw new InvalidOperationException($"There is no connection string '{name}'."),
                name)
            .BindConfiguration($"Aspire:Poolhouse:{name}")
            .WarmUp(2)
            .DrainOnShutdown()
            .AddHealthCheck();
        builder.Services.ConfigureOpenTelemetryMeterProvider(metrics => metrics.AddPoolhouse());
        builder.Services.ConfigureOpenTelemetryTracerProvider(traces => traces.AddPoolhouse());
    }
    // end snippet

    public static void AddQuotes(WebApplicationBuilder builder)
    {
        // snippet: hosting-http
        builder.Services
            .AddHttpClient("quotes", client => client.BaseAddress = new Uri("https://quotes.example.org/"))
            .AddPoolhouseBulkhead(
                options => options.MaxPerEndpoint = 8,
                bulkhead => bulkhead.BindConfiguration().DrainOnShutdown().AddHealthCheck())
            .UsePoolhouseShards(options => (options.Shards, options.WatchedHosts) = (4, ["quotes.example.org"]));
        // end snippet
    }
}
