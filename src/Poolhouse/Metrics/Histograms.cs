using System.Diagnostics.Metrics;

namespace Poolhouse.Metrics;

/// <summary>Records times where an exception of a listener must not propagate: on the stack of a hand-over or a return.</summary>
internal static class Histograms
{
    /// <summary>Records a time in seconds if there are listeners. Exceptions thrown by listeners are ignored.</summary>
    public static void TryRecord(this Histogram<double> histogram, TimeSpan time, string tag, string value)
    {
        if (!histogram.Enabled)
        {
            return;
        }

#pragma warning disable CA1031 // A rent or a return that was aborted halfway would lose an item.
        try
        {
            histogram.Record(time.TotalSeconds, new KeyValuePair<string, object?>(tag, TagValue.Of(value)));
        }
        catch (Exception)
        {
            // There is no caller to report it to.
        }
#pragma warning restore CA1031
    }
}
