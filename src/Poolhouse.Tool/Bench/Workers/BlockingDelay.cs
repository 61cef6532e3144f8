namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Blocks the calling thread for a given time.</summary>
internal static class BlockingDelay
{
#pragma warning disable RS0030 // Timers fire on the thread pool, which is busy here.
    public static void Wait(TimeSpan time) => Thread.Sleep(time);
#pragma warning restore RS0030
}
