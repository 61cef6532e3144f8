namespace Poolhouse.Tests;

/// <summary>Exceptions of tasks that nobody has observed.</summary>
internal static class Unobserved
{
    /// <summary>Counts those of an action. Other tests run at the same time: the exceptions must be its own.</summary>
    public static int Count(Func<Exception, bool> isOwn, Action action)
    {
        var unobserved = 0;
        TaskScheduler.UnobservedTaskException += Add;
        action();
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        TaskScheduler.UnobservedTaskException -= Add;
        return unobserved;

        void Add(object? sender, UnobservedTaskExceptionEventArgs args) =>
            Interlocked.Add(ref unobserved, args.Exception.InnerExceptions.Count(isOwn));
    }
}
