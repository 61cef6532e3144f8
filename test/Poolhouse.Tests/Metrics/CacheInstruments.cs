using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Poolhouse.Tests.Metrics;

public sealed class CacheInstruments
{
    [Fact]
    public void Instruments_read_the_statistics_of_each_pool_by_name()
    {
        using var meter = new Meter("test");
        var first = new TieredObjectPool<Item>(
            () => new Item(), null, new ObjectPoolOptions { Name = "first", Meter = meter, MaxRetained = 2 });
        var second = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { Name = "second", Meter = meter });
        Item[] items = [first.Get(), first.Get(), first.Get()];
        Array.ForEach(items, first.Return);
        var held = first.Get();
        first.Return(held);
        first.Return(held);
        _ = second.Get();

        var seen = Gauges.Read(meter);

        Assert.Equal(2, seen["poolhouse.pool.item.count first idle"]);
        Assert.Equal(1, seen["poolhouse.pool.item.count second leased"]);
        Assert.Equal(1, seen["poolhouse.pool.rents first hit"]);
        Assert.Equal(3, seen["poolhouse.pool.rents first miss"]);
        Assert.Equal(4, seen["poolhouse.pool.returns first"]);
        Assert.Equal(3, seen["poolhouse.pool.item.creations first"]);
        Assert.Equal(1, seen["poolhouse.pool.item.destructions first surplus"]);
        Assert.Equal(1, seen["poolhouse.pool.double_returns first"]);
        GC.KeepAlive(second);
    }

    [Fact]
    public void Pools_without_a_name_have_the_name_of_their_type_and_are_added_up()
    {
        using var meter = new Meter("test");
        using var first =
            new TieredObjectPool<Dictionary<string, Item[]>>(() => [], null, new ObjectPoolOptions { Meter = meter });
        using var second =
            new TieredObjectPool<Dictionary<string, Item[]>>(() => [], null, new ObjectPoolOptions { Meter = meter });
        _ = first.Get();
        _ = second.Get();

        Assert.Equal(("Dictionary<String;Item[]>", first.Name), (first.Name, second.Name));
        Assert.Equal(2, Gauges.Read(meter)["poolhouse.pool.item.count Dictionary<String;Item[]> leased"]);
    }

    [Fact]
    public void Names_in_tags_contain_no_separators()
    {
        using var meter = new Meter("test");
        using var pool =
            new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { Meter = meter, Name = "a=1, b=2" });

        Assert.Equal("a=1, b=2", pool.Name);
        Assert.Contains("poolhouse.pool.returns a:1;b:2", Gauges.Read(meter).Keys);
    }

    [Fact]
    public void Buffer_pools_report_bytes()
    {
        using var meter = new Meter("test");
        using var pool = new TieredArrayPool<int>(new ArrayPoolOptions { Name = "ints", Meter = meter });
        pool.Return(pool.Rent(100));

        Assert.Equal(128 * sizeof(int), Gauges.Read(meter)["poolhouse.pool.idle.size ints"]);
    }

    [Fact]
    public void The_array_pool_that_a_stream_pool_created_is_reported_until_the_stream_pool_is_disposed()
    {
        using var meter = new Meter("test");
        var pool = new StreamPool(new StreamPoolOptions { Name = "streams", Meter = meter, Paranoid = ParanoidMode.Report });
        using var stream = pool.Rent();
        stream.Write(new byte[5000]);

        // The stream and its block.
        Assert.Equal(2, Gauges.Read(meter)["poolhouse.pool.rents streams miss"]);
        pool.Dispose();

        Assert.Empty(Gauges.Read(meter));
    }

    [Fact]
    public void A_disposed_pool_is_no_longer_reported()
    {
        using var meter = new Meter("test");
        var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { Meter = meter });
        Assert.NotEmpty(Gauges.Read(meter));
        pool.Dispose();

        Assert.Empty(Gauges.Read(meter));
    }

    [Fact]
    public void A_meter_from_the_factory_is_used_and_requested_by_name()
    {
        using var factory = new Factory();
        var pool =
            new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { MeterFactory = factory, Name = "made" });

        Assert.Equal("Poolhouse", factory.Meter.Name);
        Assert.StartsWith("https://opentelemetry.io/schemas/", factory.Meter.TelemetrySchemaUrl, StringComparison.Ordinal);
        Assert.Contains("poolhouse.pool.rents made hit", Gauges.Read(factory.Meter).Keys);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void The_shared_meter_is_named_poolhouse()
    {
        // Other tests may create meters at the same time.
        var meters = new ConcurrentQueue<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) => meters.Enqueue(instrument.Meter.Name),
        };
        var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { Name = "on the shared meter" });
        listener.Start();

        Background.Until(() => meters.Contains("Poolhouse"));
        GC.KeepAlive(pool);
    }

    private sealed class Factory : IMeterFactory
    {
        public Meter Meter { get; private set; } = null!;

        public Meter Create(MeterOptions options) => Meter = new Meter(options);

        public void Dispose() => Meter.Dispose();
    }
}
