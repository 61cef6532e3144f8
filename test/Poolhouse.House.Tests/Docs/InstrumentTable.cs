using System.Diagnostics.Metrics;
using Poolhouse.Buffers;
using Poolhouse.Objects;

namespace Poolhouse.House.Tests.Docs;

public sealed class InstrumentTable
{
    [Fact]
    public void The_table_is_what_a_listener_finds()
    {
        using var meter = new Meter("House");
        using var objects = new TieredObjectPool<object>(() => new object(), options: new ObjectPoolOptions { Meter = meter });
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { Meter = meter });

        Assert.Equal(
            Collect(meter).Order(StringComparer.Ordinal),
            MarkdownFile.Read("docs", "guides", "metrics.md").Table("instruments")
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
        var page = File.ReadAllText(Repository.PathOf("docs", "guides", "metrics.md"));
        Assert.Contains("one meter of the process, named `Poolhouse`", page, StringComparison.Ordinal);
    }

    // One line an instrument, as the page writes it: name, kind, unit, tag with its values, description.
    private static IEnumerable<string> Collect(Meter meter)
    {
        var instruments = new Dictionary<Instrument, SortedSet<string>>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == meter)
            {
                instruments.Add(instrument, new SortedSet<string>(StringComparer.Ordinal));
                listening.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) =>
        {
            Assert.Equal("poolhouse.pool.name", tags[0].Key);
            foreach (var (name, value) in tags[1..])
            {
                instruments[instrument].Add($"`{name}`: `{value}`");
            }
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return instruments.Select(each => string.Join(
            " | ", $"`{each.Key.Name}`", Kind(each.Key), $"`{each.Key.Unit}`", Tags(each.Value), each.Key.Description));
    }

    private static string Kind(Instrument instrument) => instrument is ObservableCounter<long> ? "counter" : "up-down counter";

    private static string Tags(SortedSet<string> tags) => tags.Count == 0
        ? "–"
        : tags.First().Split(':')[0] + ": " + string.Join(", ", tags.Select(tag => tag.Split(": ")[1]));
}
