using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Work that only computes, a fixed amount rather than a fixed time: a thread that is preempted still has to
/// do all of it.</summary>
internal static class CpuWork
{
    private const int Sample = 20_000;
    private const int Samples = 20;

    private static readonly Lazy<double> _turnsPerSecond = new(Calibrate);

    /// <summary>The number of turns that take the given time on this machine when it is idle.</summary>
    public static int TurnsIn(TimeSpan time) => Math.Max(1, (int)(time.TotalSeconds * _turnsPerSecond.Value));

    // Compiled once and for all, so that a turn takes as long when it is counted as when it is measured.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static long Do(int turns)
    {
        var state = 88_172_645_463_325_252L;
        for (var i = 0; i < turns; i++)
        {
            state ^= state << 13;
            state ^= (long)((ulong)state >> 7);
            state ^= state << 17;
        }

        return state;
    }

    // The fastest sample is the one that was disturbed least.
    private static double Calibrate()
    {
        var fastest = double.PositiveInfinity;
        for (var i = 0; i < Samples; i++)
        {
            var started = Stopwatch.GetTimestamp();
            Do(Sample);
            fastest = Math.Min(fastest, Stopwatch.GetElapsedTime(started).TotalSeconds);
        }

        return Sample / fastest;
    }
}
