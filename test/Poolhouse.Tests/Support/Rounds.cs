using System.Diagnostics;

namespace Poolhouse.Tests;

/// <summary>
/// How often two threads meet in a test: fewer times on a machine so busy that each meeting costs a time slice of another
/// process.
/// </summary>
internal sealed class Rounds(int most)
{
    private const int Least = 1_000;

    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(10);

    private readonly long _started = Stopwatch.GetTimestamp();
    private int _count = most;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Called by one of the threads in each round, before the threads meet.</summary>
    public void EndIfLate(int round)
    {
        if (round >= Least && Stopwatch.GetElapsedTime(_started) > _longest)
        {
            Volatile.Write(ref _count, round + 1);
        }
    }
}
