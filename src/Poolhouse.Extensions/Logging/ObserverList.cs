using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions.Logging;

/// <summary>Notifies several observers of one event. An observer that throws does not affect the others.</summary>
internal static class ObserverList
{
    public delegate void Notification<in TObserver, TEvent>(TObserver observer, in TEvent args);

    [SuppressMessage("Design", "CA1031", Justification = "Pools swallow the exceptions of observers.")]
    public static void Notify<TObserver, TEvent>(
        IReadOnlyList<TObserver> observers, in TEvent args, Notification<TObserver, TEvent> notify)
    {
        var isInterrupted = false;

        // By index: an enumerator would be allocated.
        for (var index = 0; index < observers.Count; index++)
        {
            try
            {
                notify(observers[index], in args);
            }
            catch (Exception thrown)
            {
                // The next observer is notified anyway.
                isInterrupted |= thrown is ThreadInterruptedException;
            }
        }

        if (isInterrupted && !Thread.CurrentThread.IsThreadPoolThread)
        {
            // Meant for this thread, and not for the observers.
            Thread.CurrentThread.Interrupt();
        }
    }
}
