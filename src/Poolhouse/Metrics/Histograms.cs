using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Poolhouse.Metrics;

/// <summary>Records times where an exception of a listener must not propagate: on the stack of a hand-over or a return.</summary>
internal static class Histograms
{
    public const string LabelTag = "poolhouse.lease.label";

    /// <summary>
    /// Records a time in seconds if there are listeners, with the label of the lease as another tag if it has one. Exceptions
    /// thrown by listeners are ignored: a rent or a return that was aborted halfway would lose an item.
    /// </summary>
    public static void TryRecord(
        this Histogram<double> histogram, TimeSpan time, string tag, string value, string? label = null)
    {
        if (!histogram.Enabled)
        {
            return;
        }

        var tags = new TagList { { tag, TagValue.Of(value) } };
        if (label is not null)
        {
            tags.Add(LabelTag, TagValue.Of(label));
        }

        Kernel.UserCode.Notify(
            histogram, (time, tags),
            static (histogram, measured) => histogram.Record(measured.time.TotalSeconds, in measured.tags));
    }
}
