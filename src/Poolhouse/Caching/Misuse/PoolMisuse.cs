namespace Poolhouse;

/// <summary>Notifies the application of misuse that caches in paranoid mode detect.</summary>
/// <remarks>Thread safe.</remarks>
public static class PoolMisuse
{
    // Enough to find a bug; the statistics count the rest.
    private const int MostPrinted = 20;

    private static int _printed;

    /// <summary>Occurs when a cache in paranoid mode detects misuse.</summary>
    /// <remarks>
    /// Handlers run on the thread pool, and their exceptions are ignored. The sender is null. Without a handler, the first 20
    /// reports of a process are written to the standard error stream, unless the call throws a <see cref="PoolMisuseException"/>
    /// instead.
    /// </remarks>
    public static event EventHandler<PoolMisuseEventArgs>? Detected;

    internal static void Report(PoolMisuseEventArgs misuse, bool isThrown)
    {
        if (Detected is { } handlers)
        {
            // Not here: this is the stack of a caller that rents or returns (I25).
            ThreadPool.UnsafeQueueUserWorkItem(
                static state => Notify(state.handlers, state.misuse), (handlers, misuse), preferLocal: false);
        }
        else if (!isThrown && Interlocked.Increment(ref _printed) <= MostPrinted)
        {
            // The stream may have been replaced by the application.
            UserCode.Notify(misuse, 0, static (misuse, _) => Console.Error.WriteLine(misuse));
        }
    }

    private static void Notify(EventHandler<PoolMisuseEventArgs> handlers, PoolMisuseEventArgs misuse)
    {
        foreach (var handler in handlers.GetInvocationList().Cast<EventHandler<PoolMisuseEventArgs>>())
        {
            UserCode.Notify(handler, misuse, static (handler, misuse) => handler(null, misuse));
        }
    }
}
