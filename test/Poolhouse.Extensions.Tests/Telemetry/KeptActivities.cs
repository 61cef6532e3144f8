using System.Collections.Concurrent;
using System.Diagnostics;
using OpenTelemetry;

namespace Poolhouse.Extensions.Tests.Telemetry;

/// <summary>Keeps the activities that the SDK exported.</summary>
internal sealed class KeptActivities : BaseExporter<Activity>
{
    private readonly ConcurrentQueue<Activity> _activities = new();

    public IReadOnlyCollection<Activity> All => _activities;

    public override ExportResult Export(in Batch<Activity> batch)
    {
        foreach (var activity in batch)
        {
            _activities.Enqueue(activity);
        }

        return ExportResult.Success;
    }
}
