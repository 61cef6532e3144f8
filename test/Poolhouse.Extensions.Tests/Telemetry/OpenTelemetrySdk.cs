using System.Diagnostics;
using Microsoft.Data.Sqlite;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Poolhouse.Data;
using Poolhouse.OpenTelemetry;
using Sdk = OpenTelemetry.Sdk;

namespace Poolhouse.Extensions.Tests.Telemetry;

/// <summary>What the SDK of OpenTelemetry exports after <c>AddPoolhouse</c>.</summary>
// Alone: the SDK merges the instruments of all meters of one name, and drops them when one of these meters is disposed, which
// happens with each host of other tests.
[CollectionDefinition(nameof(OpenTelemetrySdk), DisableParallelization = true)]
[Collection(nameof(OpenTelemetrySdk))]
public sealed class OpenTelemetrySdk
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_metrics_of_pools_are_exported_with_their_tags_and_buckets()
    {
        using var exporter = new KeptMetrics();
        using var provider =
            Sdk.CreateMeterProviderBuilder().AddPoolhouse().AddReader(new BaseExportingMetricReader(exporter)).Build();
        using var pool = ResourcePool.Create(Link.OpenAsync, new ResourcePoolOptions { MaxSize = 3, Name = "exported links" });
        (await pool.RentAsync(Token)).Dispose();
        using var lease = await pool.RentAsync(Token);

        Assert.True(provider.ForceFlush());
        Assert.Equal(1, Value("leased", PoolhouseInstruments.ItemCount));
        Assert.Equal(3, Value("exported links", PoolhouseInstruments.ItemMax));
        Assert.Equal(1, Value("hit", PoolhouseInstruments.Rents));
        Assert.Equal(1, Value("wait", PoolhouseInstruments.Rents));
        Assert.Equal(PoolhouseTelemetry.Meter, exporter.Of("exported links", PoolhouseInstruments.Rents)[0].Meter);
        var uses = Assert.Single(exporter.Of("exported links", PoolhouseInstruments.UseTime));
        Assert.Equal(1, uses.Value);
        Assert.Equal([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, double.PositiveInfinity], uses.Bounds);

        lease.Dispose();
        Assert.True(provider.ForceFlush());
        Assert.Equal(0, Value("leased", PoolhouseInstruments.ItemCount));

        long Value(string tag, string instrument) =>
            Assert.Single(exporter.Of("exported links", instrument), point => point.Tags.Contains(tag)).Value;
    }

    [Fact]
    public async Task The_metrics_of_connection_pools_are_exported()
    {
        using var exporter = new KeptMetrics();
        using var provider =
            Sdk.CreateMeterProviderBuilder().AddPoolhouse().AddReader(new BaseExportingMetricReader(exporter)).Build();
        await using var source =
            PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:", Options("exported connections", 4));
        await using var connection = await source.OpenConnectionAsync(Token);

        Assert.True(provider.ForceFlush());
        Assert.Equal(4, Assert.Single(exporter.Of("exported connections", PoolhouseInstruments.DbConnectionMax)).Value);
        var used = Assert.Single(
            exporter.Of("exported connections", PoolhouseInstruments.DbConnectionCount), point => point.Tags.Contains("used"));
        Assert.Equal((1, PoolhouseTelemetry.DataMeter), (used.Value, used.Meter));
    }

    [Fact]
    public async Task A_caller_that_waits_for_a_connection_exports_an_activity_below_its_own()
    {
        using var exporter = new KeptActivities();
        using var provider = Sdk.CreateTracerProviderBuilder()
            .AddPoolhouse().AddSource(nameof(OpenTelemetrySdk)).AddProcessor(new SimpleActivityExportProcessor(exporter)).Build();
        using var requests = new ActivitySource(nameof(OpenTelemetrySdk));
        await using var source =
            PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:", Options("traced connections", 1));
        var first = await source.OpenConnectionAsync(Token);
        using var request = requests.StartActivity("request")!;
        var waiting = source.OpenConnectionAsync(Token).AsTask();
        await first.DisposeAsync();
        await (await waiting).DisposeAsync();
        request.Stop();

        var wait = Assert.Single(exporter.All, activity => activity.ParentSpanId == request.SpanId);
        Assert.Equal(
            (PoolhouseTelemetry.WaitActivity, "served"), (wait.OperationName, wait.GetTagItem(PoolhouseTags.WaitOutcome)));
        Assert.Equal("traced connections", wait.GetTagItem(PoolhouseTags.DbPoolName));
    }

    private static DbPoolOptions Options(string name, int maxSize) =>
        new() { Pool = new ResourcePoolOptions { MaxSize = maxSize, Name = name } };
}
