using System.Globalization;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>The counters shown in error messages, read at most once for all items that end together.</summary>
internal sealed class ErrorFigures(WorkerCore core)
{
    public WorkerPoolStatistics Statistics => field ??= core.GetStatistics();

    public string Counts => field ??= string.Create(
        CultureInfo.InvariantCulture,
        $"MaxWorkers {Statistics.MaxWorkers}: {Statistics.Workers} alive, {Statistics.Leased} busy; {Statistics.Waiting} " +
        $"waiting; {Statistics.AbandonedWorkers} abandoned; longest run {WorkErrors.Seconds(Statistics.OldestRun)}");
}
