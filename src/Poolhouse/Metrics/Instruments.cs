using System.Diagnostics.Metrics;

namespace Poolhouse.Metrics;

/// <summary>Creates instruments. Exceptions thrown by listeners, which are notified on this stack, are ignored.</summary>
internal static class Instruments
{
    /// <summary>Creates an instrument.</summary>
    /// <returns>The instrument; null if a listener threw, although the instrument may have been published.</returns>
    public static TInstrument? TryCreate<TInstrument>(Func<TInstrument> create)
        where TInstrument : Instrument
    {
        TInstrument? created = null;
        Kernel.UserCode.Notify(create, 0, (create, _) => created = create());
        return created;
    }

    /// <summary>Creates a histogram of times in seconds.</summary>
    public static Histogram<double>? TryCreateHistogram(Meter meter, string name, string description, double[] boundaries) =>
        TryCreate(() => meter.CreateHistogram(
            name, "s", description, tags: null, new InstrumentAdvice<double> { HistogramBucketBoundaries = boundaries }));
}
