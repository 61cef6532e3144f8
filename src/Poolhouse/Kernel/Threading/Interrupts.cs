namespace Poolhouse.Kernel.Threading;

/// <summary>Defers <see cref="Thread.Interrupt"/> past code that must not stop halfway.</summary>
// An interrupt is delivered wherever a thread happens to block: at a contended lock, at the locks inside a timer or the thread pool,
// in the sleep of a spin wait. Most of those are between two writes that belong together. So a pool lets an interrupt out in one
// kind of place only: where a caller waits for an item.
internal static class Interrupts
{
    /// <summary>Runs an action to its end. An interrupt that arrives meanwhile is pending again afterwards.</summary>
    /// <param name="state">Passed to the action.</param>
    /// <param name="action">Has no effect when it throws <see cref="ThreadInterruptedException"/>: it is then run again.</param>
    public static void Defer<TState>(TState state, Action<TState> action)
    {
        var interrupted = false;
        while (true)
        {
            try
            {
                action(state);
                break;
            }
            catch (ThreadInterruptedException)
            {
                // Delivered, so the thread can wait now. It is raised again below.
                interrupted = true;
            }
        }

        if (interrupted)
        {
            CurrentThread.Interrupt();
        }
    }
}
