using System.Diagnostics.Metrics;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Metrics;

/// <summary>Records times where an exception of a listener must not propagate: on the stack of a hand-over or a return.</summary>
internal static class Histograms
{
    public const string LabelTag = "poolhouse.lease.label";

    /// <summary>Records a time in seconds if there are listeners. Exceptions thrown by listeners are ignored.</summary>
    public static void TryRecord(this Histogram<double> histogram, TimeSpan time, string tag, string value) =>
        histogram.TryRecord(time, tag, value, label: null);

    /// <summary>Does the same, with the label of the lease as another tag, if it has one.</summary>
    public static void TryRecord(this Histogram<double> histogram, TimeSpan time, string tag, string value, string? label)
    {
        if (!histogram.Enabled)
        {
            return;
        }

#pragma warning disable CA1031 // A rent or a return that was aborted halfway would lose an item.
        try
        {
            var pool = new KeyValuePair<string, object?>(tag, TagValue.Of(value));
            if (label is null)
            {
                histogram.Record(time.TotalSeconds, pool);
            }
            else
            {
                histogram.Record(time.TotalSeconds, pool, new KeyValuePair<string, object?>(LabelTag, TagValue.Of(label)));
            }
        }
        catch (Exception thrown)
        {
            // There is no caller to report it to.
            CurrentThread.KeepInterrupt(thrown);
        }
#pragma warning restore CA1031
    }
}
