using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Poolhouse.Data.Tests.Metrics;

/// <summary>Everything that is measured on one meter.</summary>
internal sealed class Collector : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<(Instrument Instrument, double Value, string Tags)> _measured = new();

    public Collector(Meter meter)
    {
        _listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == meter)
            {
                Instruments.Enqueue(instrument);
                listening.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>(
            (instrument, value, tags, _) => _measured.Enqueue((instrument, value, Text(tags))));
        _listener.SetMeasurementEventCallback<double>(
            (instrument, value, tags, _) => _measured.Enqueue((instrument, value, Text(tags))));
        _listener.Start();
    }

    public ConcurrentQueue<Instrument> Instruments { get; } = new();

    /// <summary>The tags of everything measured so far.</summary>
    public IEnumerable<string> Tags => _measured.Select(each => each.Tags);

    /// <summary>The values recorded by a histogram so far.</summary>
    public IReadOnlyList<double> Times(
        string name) => [.. _measured.Where(each => string.Equals(each.Instrument.Name, name, StringComparison.Ordinal))
            .Select(each => each.Value)];

    /// <summary>The values that an instrument has now, by their tags.</summary>
    public IReadOnlyDictionary<string, double> Read(string name)
    {
        _measured.Clear();
        _listener.RecordObservableInstruments();
        return _measured.Where(each => string.Equals(each.Instrument.Name, name, StringComparison.Ordinal))
            .ToDictionary(each => each.Tags, each => each.Value, StringComparer.Ordinal);
    }

    /// <summary>The only value that an instrument has now.</summary>
    public double ReadOne(string name) => Assert.Single(Read(name)).Value;

    /// <summary>The connections that are idle and used now.</summary>
    public (double Idle, double Used) ReadCounts(string pool)
    {
        var counts = Read("db.client.connection.count");
        return (counts[$"db.client.connection.pool.name={pool} db.client.connection.state=idle"],
            counts[$"db.client.connection.pool.name={pool} db.client.connection.state=used"]);
    }

    public void Dispose() => _listener.Dispose();

    private static string Text(ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        string.Join(' ', tags.ToArray().Select(tag => $"{tag.Key}={tag.Value}"));
}
