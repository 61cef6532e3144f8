using System.Diagnostics.Metrics;

namespace Poolhouse.Metrics;

/// <summary>Records times where an exception of a listener must not pass: on the stack of a hand-over or a return.</summary>
internal static class Histograms
{
    /// <summary>Records a time in seconds, if somebody listens. What a listener throws is its own affair.</summary>
    public static void TryRecord(this Histogram<double> histogram, TimeSpan time, string tag, string value)
    {
        if (!histogram.Enabled)
        {
            return;
        }

#pragma warning disable CA1031 // A rent or a return that ended half-way would cost an item.
        try
        {
            histogram.Record(time.TotalSeconds, new KeyValuePair<string, object?>(tag, value));
        }
        catch (Exception)
        {
            // Nobody is there to be told.
        }
#pragma warning restore CA1031
    }
}
