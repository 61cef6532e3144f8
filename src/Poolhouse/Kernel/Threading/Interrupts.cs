namespace Poolhouse.Kernel.Threading;

/// <summary>Defers <see cref="Thread.Interrupt"/> past code that must not be aborted halfway.</summary>
// An interrupt is delivered wherever a thread blocks: at a contended lock, at the locks inside a timer or the thread pool, in the
// sleep of a spin wait. Most of those places are between two writes that belong together. So a pool lets an interrupt propagate
// in only one kind of place: where a caller waits for an item.
internal static class Interrupts
{
    /// <summary>Runs an action to completion. An interrupt that arrives meanwhile is pending again afterwards.</summary>
    /// <param name="state">Passed to the action.</param>
    /// <param name="action">
    /// Must have no effect when it throws <see cref="ThreadInterruptedException"/>: it is then run again.
    /// </param>
    public static void Defer<TState>(TState state, Action<TState> action) => Defer((state, action), static call =>
    {
        call.action(call.state);
        return true;
    });

    /// <summary>
    /// Runs a function to completion, as <see cref="Defer{TState}(TState, Action{TState})"/> runs an action.
    /// </summary>
    /// <returns>The result of the function.</returns>
    public static TResult Defer<TState, TResult>(TState state, Func<TState, TResult> function)
    {
        TResult result;
        var interrupted = false;
        while (true)
        {
            try
            {
                result = function(state);
                break;
            }
            catch (ThreadInterruptedException)
            {
                // The interrupt was delivered, so the thread can wait now. It is raised again below.
                interrupted = true;
            }
        }

        if (interrupted)
        {
            CurrentThread.Interrupt();
        }

        return result;
    }
}
