namespace Poolhouse.Kernel.Threading;

/// <summary>The operations of the pools on the current thread. The explorer replaces this class.</summary>
internal static class CurrentThread
{
    private static readonly ManualResetEvent _set = new(initialState: true);

    /// <summary>
    /// Makes the next wait of this thread end with <see cref="ThreadInterruptedException"/>. Not on a thread of the thread pool,
    /// where the next wait may be anyone's.
    /// </summary>
    public static void Interrupt()
    {
        var thread = Thread.CurrentThread;
        if (!thread.IsThreadPoolThread)
        {
            thread.Interrupt();
        }
    }

    /// <summary>If user code was interrupted, leaves the interrupt for the next wait of this thread.</summary>
    /// <param name="thrown">The exception that the code threw, and that the caller ignores.</param>
    public static void KeepInterrupt(Exception thrown)
    {
        if (thrown is ThreadInterruptedException)
        {
            Interrupt();
        }
    }

    /// <summary>Discards a pending interrupt. Takes some tenths of a microsecond.</summary>
    public static void DiscardInterrupt()
    {
        try
        {
            // The call never blocks, but still delivers an interrupt.
            _set.WaitOne(0);
        }
        catch (ThreadInterruptedException)
        {
            // This was the pending interrupt.
        }
    }
}
