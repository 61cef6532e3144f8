using System.Diagnostics.Metrics;
using System.Text;

namespace Poolhouse.Samples.NativeAot;

internal static class Diagnostics
{
    public static string Use()
    {
        var seen = new StringBuilder();
        using var meter = new Meter("NativeAot");
        var pressure = new MemoryPressureSource();
        CacheOptions options = new ObjectPoolOptions { Name = "observed", Meter = meter, MemoryPressure = pressure };
        using var pool = new TieredObjectPool<List<int>>(() => [], options: (ObjectPoolOptions)options);
        pool.Prefill(4);
        pressure.Report(MemoryPressure.High);

        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == meter)
            {
                listening.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, _, _) => seen.Append(instrument.Name).Append(value));
        listener.Start();
        listener.RecordObservableInstruments();
        return seen.ToString();
    }
}
