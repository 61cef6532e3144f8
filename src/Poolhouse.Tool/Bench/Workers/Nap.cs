namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Blocks the thread that calls for a while.</summary>
internal static class Nap
{
#pragma warning disable RS0030 // Timers tell their time on the thread pool, and that is what is disturbed here.
    public static void Take(TimeSpan time) => Thread.Sleep(time);
#pragma warning restore RS0030
}
