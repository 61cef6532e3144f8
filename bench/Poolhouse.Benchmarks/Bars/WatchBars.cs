using System.Diagnostics.Tracing;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What a pool costs while its process is watched.</summary>
internal static class WatchBars
{
    private static readonly TimeSpan _untilPicture = TimeSpan.FromMilliseconds(30);

    public static IReadOnlyList<Bar> All { get; } =
    [
        Of("resource rent+return, watched", 1.02, isInDetail: false),

        // Each use is counted in a histogram, and each wait in another.
        Of("resource rent+return, in detail", 1.15, isInDetail: true),
    ];

    private static Bar Of(string name, double limit, bool isInDetail) => new(
        name,
        "not watched",
        limit,
        calls => Watched(isInDetail, () => Timing.NanosecondsPerPair<ResourcePair>(threads: 1, calls)),
        calls => Timing.NanosecondsPerPair<ResourcePair>(threads: 1, calls),
        () => Watched(isInDetail, Timing.BytesPerPair<ResourcePair>));

    private static double Watched(bool isInDetail, Func<double> measure)
    {
        // The first pool creates the event source in the background.
        var pool = ResourcePools.Poolhouse.Name;
        EventSource? source = null;
        SpinWait.SpinUntil(() => (source = EventSource.GetSources().FirstOrDefault(IsOfPools)) is not null);
        using var session = new Session();
        var arguments = new Dictionary<string, string?>(StringComparer.Ordinal) { ["Interval"] = "2" };
        if (isInDetail)
        {
            arguments["Detail"] = pool;
        }

        session.EnableEvents(source!, EventLevel.Informational, EventKeywords.All, arguments);
        Thread.Sleep(_untilPicture);
        return measure();
    }

    private static bool IsOfPools(EventSource source) => string.Equals(source.Name, "Poolhouse", StringComparison.Ordinal);

    private sealed class Session : EventListener;
}
