using System.Diagnostics;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What a pool costs while <c>poolhouse watch</c> watches its process from another one.</summary>
internal static class WatcherBars
{
    public const string Name = "rent+return, poolhouse watch";
    public const string NameInDetail = "rent+return, watch in detail";

    private const double Limit = 1.02;
    private const double LimitInDetail = 1.15;
    private const int Rounds = 7;

    // A watcher asks for a picture every second: each round has one.
    private static readonly TimeSpan _round = TimeSpan.FromSeconds(1.2);
    private static readonly TimeSpan _warmUp = TimeSpan.FromSeconds(0.3);

    public static Outcome Measure() => Measure(Name, Limit, Watcher.Start);

    public static Outcome MeasureInDetail() =>
        Measure(NameInDetail, LimitInDetail, () => Watcher.StartInDetail(() => ResourcePair.Run(Timing.PairsPerCall)));

    private static Outcome Measure(string name, double limit, Func<Watcher> start)
    {
        Nanoseconds(_round);
        var rounds = new List<(double Ours, double Rival, double Bytes)>();
        for (var round = 0; round < Rounds; round++)
        {
            var before = Nanoseconds(_round);
            double ours, bytes;
            using (start())
            {
                Nanoseconds(_warmUp);
                ours = Nanoseconds(_round);
                bytes = Timing.BytesPerPair<ResourcePair>();
            }

            // Before and after, because starting a watcher takes a second.
            rounds.Add((ours, (before + Nanoseconds(_round)) / 2, bytes));
        }

        return new Outcome(
            name, Timing.Median(rounds.Select(round => round.Ours)), "not watched", Timing.Median(rounds.Select(round => round.Rival)),
            Timing.Median(rounds.Select(round => round.Ours / round.Rival)), limit, rounds.Max(round => round.Bytes));
    }

    /// <summary>Nanoseconds a pair.</summary>
    // The median of short calls, so that it is not the time of the other processes, of which the watcher is one.
    private static double Nanoseconds(TimeSpan time)
    {
        var calls = new List<double>();
        for (var start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < time;)
        {
            calls.Add(Timing.NanosecondsPerPair<ResourcePair>(threads: 1, calls: 1));
        }

        return Timing.Median(calls);
    }
}
