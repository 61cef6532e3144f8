namespace Poolhouse.Kernel;

/// <summary>
/// Calls code of the user whose exceptions must reach neither another user nor an operation of the pool that is half done.
/// </summary>
internal static class UserCode
{
#pragma warning disable CA1031 // That is the purpose of this class.
    /// <summary>Notifies an observer or a listener. Its exceptions are ignored: there is no caller to report them to.</summary>
    public static void Notify<TObserver, TArgs>(TObserver observer, TArgs args, Action<TObserver, TArgs> notify)
    {
        try
        {
            notify(observer, args);
        }
        catch (Exception thrown)
        {
            // There is no caller to report it to.
            Threading.CurrentThread.KeepInterrupt(thrown);
        }
    }

    /// <summary>Calls a quick hook of a policy. If it throws, the result is <paramref name="ifItThrows"/>.</summary>
    public static bool CallHook<TPolicy, TItem>(TPolicy policy, TItem item, Func<TPolicy, TItem, bool> hook, bool ifItThrows)
    {
        try
        {
            return hook(policy, item);
        }
        catch (Exception thrown)
        {
            Threading.CurrentThread.KeepInterrupt(thrown);
            return ifItThrows;
        }
    }
#pragma warning restore CA1031

    /// <summary>Cancels a token whose callbacks may be user code, where no caller could handle an exception.</summary>
    public static void Cancel(CancellationTokenSource source) => Notify(source, 0, static (source, _) => source.Cancel());

    /// <summary>
    /// Prevents the exception of a task from being reported as unobserved if its caller has stopped waiting for it.
    /// </summary>
    public static void Observe(Task task) => _ = task.ContinueWith(
        static failed => failed.Exception, CancellationToken.None,
        TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
