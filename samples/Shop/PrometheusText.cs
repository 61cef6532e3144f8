using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;

namespace Poolhouse.Samples.Shop;

/// <summary>The metrics of the pools as text for Prometheus. An app that uses OpenTelemetry has an exporter for this.</summary>
internal sealed class PrometheusText : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, double> _values = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<(string Name, string Labels), Histogram> _histograms = new();

    public PrometheusText()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name is "Poolhouse" or "Poolhouse.Data")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>(
            (instrument, value, tags, _) => _values[NameOf(instrument) + LabelsOf(tags)] = value);
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) =>
            _histograms.GetOrAdd((NameOf(instrument), LabelsOf(tags)), static key => new Histogram(key.Name, key.Labels))
                .Add(value));
        _listener.Start();
    }

    public string Write()
    {
        lock (_listener)
        {
            _values.Clear();
            _listener.RecordObservableInstruments();
            var text = new StringBuilder();
            foreach (var (name, value) in _values)
            {
                text.Append(CultureInfo.InvariantCulture, $"{name} {value}\n");
            }

            foreach (var histogram in _histograms.Values)
            {
                histogram.Write(text);
            }

            return text.ToString();
        }
    }

    public void Dispose() => _listener.Dispose();

    // As the exporters of OpenTelemetry do it: dots become underscores, the unit and "_total" are appended.
    private static string NameOf(Instrument instrument)
    {
        var name = instrument.Name.Replace('.', '_');
        var unit = instrument.Unit switch { "s" => "_seconds", "By" => "_bytes", _ => "" };
        return name + unit + (instrument is ObservableCounter<long> ? "_total" : "");
    }

    private static string LabelsOf(ReadOnlySpan<KeyValuePair<string, object?>> tags) => string.Join(
        ',', tags.ToArray().Select(tag => $"{tag.Key.Replace('.', '_')}=\"{Escape($"{tag.Value}")}\"")) is { Length: > 0 } labels
            ? $"{{{labels}}}"
            : "";

    private static string Escape(string value) =>
        value.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)
            .Replace("\n", "\\n", StringComparison.Ordinal);

    private sealed class Histogram(string name, string labels)
    {
        private static readonly double[] _bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, double.PositiveInfinity];
        private readonly long[] _counts = new long[_bounds.Length];
        private readonly Lock _gate = new();
        private double _sum;

        public void Add(double value)
        {
            lock (_gate)
            {
                _counts[Array.FindIndex(_bounds, bound => value <= bound)]++;
                _sum += value;
            }
        }

        public void Write(StringBuilder text)
        {
            lock (_gate)
            {
                var count = 0L;
                for (var index = 0; index < _bounds.Length; index++)
                {
                    count += _counts[index];
                    var bound = double.IsPositiveInfinity(_bounds[index])
                        ? "+Inf"
                        : _bounds[index].ToString(CultureInfo.InvariantCulture);
                    text.Append(
                        CultureInfo.InvariantCulture, $"{name}_bucket{{{labels.Trim('{', '}')},le=\"{bound}\"}} {count}\n");
                }

                text.Append(CultureInfo.InvariantCulture, $"{name}_sum{labels} {_sum}\n{name}_count{labels} {count}\n");
            }
        }
    }
}
