using System.Diagnostics.Metrics;

namespace Poolhouse.Tests;

/// <summary>Reads the observable instruments of a meter.</summary>
internal static class Gauges
{
    /// <returns>The values, by the instrument's name and those of its tags.</returns>
    public static Dictionary<string, long> Read(Meter meter)
    {
        var seen = new Dictionary<string, long>(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == meter)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            seen[string.Join(' ', [instrument.Name, .. tags.ToArray().Select(tag => (string)tag.Value!)])] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return seen;
    }
}
