using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.Docs;

public sealed class InstrumentTable
{
    private const string LabelTag = "poolhouse.lease.label";

    [Fact]
    public void The_table_lists_the_published_instruments()
    {
        using var meter = new Meter("House");
        using var objects = new TieredObjectPool<object>(() => new object(), options: new ObjectPoolOptions { Meter = meter });
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { Meter = meter });
        using var workers = WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = 1, Meter = meter });
        using var resources = ResourcePool.Create(
            _ => new ValueTask<object>(new object()), new ResourcePoolOptions { MaxSize = 2, Meter = meter, LabelLeases = true });
        using var label = LeaseLabel.Use("label");
        using var lease = resources.Rent();

        Assert.Equal(
            Collect(meter, ["poolhouse."], () => WaitAndReturn(resources)).Order(StringComparer.Ordinal),
            MarkdownFile.Read("docs", "guides", "metrics.md").Table("instruments")
                .Select(row => string.Join(" | ", row)).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_table_of_connection_pools_lists_the_published_instruments()
    {
        using var meter = new Meter("House");
        using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance, "Host=h",
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, Meter = meter } });

        Assert.Equal(
            Collect(meter, ["db.", "poolhouse.db."], use: null).Order(StringComparer.Ordinal),
            MarkdownFile.Read("docs", "guides", "metrics.md").Table("database-instruments")
                .Select(row => string.Join(" | ", row)).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_page_names_the_meter_that_pools_use_by_default()
    {
        var meters = new List<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) => meters.Add(instrument.Meter.Name);
        using var pool = new TieredObjectPool<object>(() => new object());
        listener.Start();

        Assert.Contains("Poolhouse", meters);
        var page = File.ReadAllText(RepositoryFiles.PathOf("docs", "guides", "metrics.md"));
        Assert.Contains("one meter of the process, named `Poolhouse`", page, StringComparison.Ordinal);
    }

    // One line an instrument, as the page writes it: name, kind, unit, tag with its values, description.
    private static IEnumerable<string> Collect(Meter meter, string[] prefixes, Action? use)
    {
        var instruments = new Dictionary<Instrument, SortedSet<string>>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == meter
                && Array.Exists(prefixes, prefix => instrument.Name.StartsWith(prefix, StringComparison.Ordinal)))
            {
                instruments.Add(instrument, new SortedSet<string>(StringComparer.Ordinal));
                listening.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) =>
        {
            Assert.Equal(NameTag(instrument), tags[0].Key);
            foreach (var (name, value) in tags[1..])
            {
                // Labels are chosen by the program: the page does not list their values.
                instruments[instrument].Add(name is LabelTag ? $"`{name}`" : $"`{name}`: `{value}`");
            }
        });
        var measured = new ConcurrentDictionary<Instrument, string>();
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) =>
            measured.TryAdd(instrument, string.Join(' ', tags.ToArray().Select(tag => tag.Key))));
        listener.Start();
        listener.RecordObservableInstruments();
        if (use is not null)
        {
            use();
            Assert.True(
                SpinWait.SpinUntil(
                    () => measured.Count == instruments.Keys.Count(each => each is Histogram<double>), TimeSpan.FromMinutes(1)));
            Assert.All(measured, each => Assert.Equal(
                each.Key.Name.EndsWith(".use_time", StringComparison.Ordinal)
                    ? $"{NameTag(each.Key)} {LabelTag}"
                    : NameTag(each.Key), each.Value));
        }

        return instruments.Select(each => string.Join(
            " | ", $"`{each.Key.Name}`", Kind(each.Key), $"`{each.Key.Unit}`", Tags(each.Value), each.Key.Description));
    }

    private static string NameTag(Instrument instrument) =>
        instrument.Name.Contains("db.", StringComparison.Ordinal) ? "db.client.connection.pool.name" : "poolhouse.pool.name";

    // Gives every histogram something to measure.
    private static void WaitAndReturn(ResourcePool<object> pool)
    {
        using (pool.Rent())
        {
        }
    }

    private static string Kind(Instrument instrument) => instrument switch
    {
        ObservableCounter<long> => "counter",
        Histogram<double> => "histogram",
        _ => "up-down counter",
    };

    private static string Tags(SortedSet<string> tags) => tags.Count == 0
        ? "–"
        : string.Join(": ", [tags.First().Split(':')[0], .. Values(tags)]);

    private static IEnumerable<string> Values(SortedSet<string> tags) =>
        tags.Any(tag => tag.Contains(": ", StringComparison.Ordinal))
            ? [string.Join(", ", tags.Select(tag => tag.Split(": ")[1]))]
            : [];
}
