namespace Poolhouse.Http.Internal;

/// <summary>Cancellation whose callbacks are user code that no caller waits for.</summary>
internal static class DetachedCancellation
{
    /// <summary>
    /// Cancels the source at once, runs its callbacks on the thread pool, and disposes it afterwards. Exceptions of the callbacks
    /// are ignored.
    /// </summary>
    public static async Task CancelAndDisposeAsync(CancellationTokenSource source)
    {
        try
        {
            await source.CancelAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // No caller could handle it.
        catch (Exception)
#pragma warning restore CA1031
        {
        }
        finally
        {
            source.Dispose();
        }
    }
}
