namespace Poolhouse.Kernel.Threading;

/// <summary>What the pools do to the thread that they run on. The explorer replaces it.</summary>
internal static class CurrentThread
{
    private static readonly ManualResetEvent _set = new(initialState: true);

    /// <summary>Makes the next wait of this thread end with <see cref="ThreadInterruptedException"/>.</summary>
    public static void Interrupt() => Thread.CurrentThread.Interrupt();

    /// <summary>Discards an interrupt that is pending. Takes some tenths of a microsecond.</summary>
    public static void DiscardInterrupt()
    {
        try
        {
            // It never blocks, and still delivers an interrupt.
            _set.WaitOne(0);
        }
        catch (ThreadInterruptedException)
        {
            // That was the one.
        }
    }
}
