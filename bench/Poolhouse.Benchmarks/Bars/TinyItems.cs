using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Submits items that do almost nothing, until all have run: the cost of the hand-over to the worker and back.</summary>
internal static class TinyItems
{
    /// <summary>Threads that run items: as many as the machine of the bars has cores.</summary>
    public const int Consumers = 2;

    private const int CallsForBytes = 50;
    private const int CallsForWakeUps = 500;
    private const string Tasks = "/proc/self/task";
    private const string Switches = "voluntary_ctxt_switches:";

    /// <summary>Wall time over the items of all posters, from the first post to the end of the last item.</summary>
    public static double NanosecondsPerItem<TItems>(int posters, int calls)
        where TItems : struct, ITinyItems
    {
        var each = calls * Timing.PairsPerCall / posters;
        using var tally = new Tally(each * posters);
        var threads = Enumerable.Range(1, posters - 1).Select(_ => new Thread(() => Post<TItems>(tally, each))).ToList();
        var started = Stopwatch.GetTimestamp();
        threads.ForEach(static thread => thread.Start());
        Post<TItems>(tally, each);
        tally.Wait();
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / ((double)each * posters);
    }

    // The least of some runs: one in which the queue becomes longer than ever before pays for its growth.
    public static double BytesPerItem<TItems>()
        where TItems : struct, ITinyItems => Enumerable.Range(0, 5).Min(_ => BytesOfRun<TItems>());

    /// <summary>
    /// How often threads of the process gave up their core until they were woken; null where the system does not count it.
    /// </summary>
    public static double? WakeUpsPerThousand<TItems>(int posters)
        where TItems : struct, ITinyItems
    {
        if (!Directory.Exists(Tasks))
        {
            return null;
        }

        var before = Blocked();
        NanosecondsPerItem<TItems>(posters, CallsForWakeUps);
        return 1000.0 * (Blocked() - before) / (CallsForWakeUps * Timing.PairsPerCall);
    }

    private static long Blocked() => Directory.GetDirectories(Tasks)
        .SelectMany(static task => File.ReadLines(Path.Combine(task, "status")))
        .Where(static line => line.StartsWith(Switches, StringComparison.Ordinal))
        .Sum(static line => long.Parse(line.AsSpan(Switches.Length), CultureInfo.InvariantCulture));

    private static double BytesOfRun<TItems>()
        where TItems : struct, ITinyItems
    {
        var bytes = GC.GetTotalAllocatedBytes(precise: true);
        NanosecondsPerItem<TItems>(posters: 1, CallsForBytes);
        return (GC.GetTotalAllocatedBytes(precise: true) - bytes) / (double)(CallsForBytes * Timing.PairsPerCall);
    }

    private static void Post<TItems>(Tally tally, int count)
        where TItems : struct, ITinyItems
    {
        for (var i = 0; i < count; i++)
        {
            TItems.Post(tally);
        }
    }

    /// <summary>Counts items down.</summary>
    internal sealed class Tally(int count) : IDisposable
    {
        private readonly ManualResetEventSlim _all = new();
        private int _left = count;

        public void Count()
        {
            if (Interlocked.Decrement(ref _left) == 0)
            {
                _all.Set();
            }
        }

        public void Wait() => _all.Wait();

        public void Dispose() => _all.Dispose();
    }
}
