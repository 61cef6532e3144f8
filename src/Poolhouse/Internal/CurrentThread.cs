namespace Poolhouse.Internal;

/// <summary>What the pools do to the thread that they run on. The explorer replaces it.</summary>
internal static class CurrentThread
{
    /// <summary>Makes the next wait of this thread end with <see cref="ThreadInterruptedException"/>.</summary>
    public static void Interrupt() => Thread.CurrentThread.Interrupt();
}
