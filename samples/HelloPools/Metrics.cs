using System.Diagnostics.Metrics;

namespace Poolhouse.Samples.HelloPools;

internal static class Metrics
{
    public static void Show()
    {
        Console.WriteLine("== Metrics");

        // snippet: own-meter
        using var meter = new Meter("Orders");
        using var pool = new TieredObjectPool<List<int>>(
            () => [], options: new ObjectPoolOptions { Name = "order-lines", Meter = meter });
        // end snippet

        pool.Return(pool.Get());

        // snippet: metrics
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == meter)
            {
                listening.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            Console.WriteLine($"{instrument.Name} {value} {Show(tags)}"));
        listener.Start();
        listener.RecordObservableInstruments();
        // end snippet
    }

    private static string Show(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var shown = new List<string>();
        foreach (var (name, value) in tags)
        {
            shown.Add($"{name}={value}");
        }

        return string.Join(' ', shown);
    }
}
