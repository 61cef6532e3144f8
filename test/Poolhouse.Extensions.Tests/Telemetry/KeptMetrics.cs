using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Poolhouse.Extensions.Tests.Telemetry;

/// <summary>Keeps what the SDK exported last. The SDK reuses its objects, so the points are read at once.</summary>
internal sealed class KeptMetrics : BaseExporter<Metric>
{
    private readonly List<KeptPoint> _points = [];

    public IReadOnlyList<KeptPoint> Points => _points;

    public IReadOnlyList<KeptPoint> Of(string pool, string instrument) => [.. _points.Where(
        point => point.Tags.Contains(pool) && string.Equals(point.Instrument, instrument, StringComparison.Ordinal))];

    public override ExportResult Export(in Batch<Metric> batch)
    {
        _points.Clear();
        foreach (var metric in batch)
        {
            foreach (ref readonly var point in metric.GetMetricPoints())
            {
                var tags = new HashSet<string>(StringComparer.Ordinal);
                foreach (var (_, value) in point.Tags)
                {
                    tags.Add($"{value}");
                }

                var bounds = new List<double>();
                if (metric.MetricType == MetricType.Histogram)
                {
                    foreach (var bucket in point.GetHistogramBuckets())
                    {
                        bounds.Add(bucket.ExplicitBound);
                    }
                }

                _points.Add(new KeptPoint(
                    metric.Name, metric.MeterName, tags,
                    metric.MetricType == MetricType.Histogram ? point.GetHistogramCount() : point.GetSumLong(), bounds));
            }
        }

        return ExportResult.Success;
    }
}
