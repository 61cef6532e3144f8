namespace Poolhouse.Kernel;

/// <summary>Cancels a token that was passed to hooks. Its callbacks are user code, so they run as a separate work item.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    public void Execute()
    {
        try
        {
            source.Cancel();
        }
#pragma warning disable CA1031 // Thrown by callbacks of an abandoned hook, or because the last user has ended meanwhile.
        catch (Exception)
#pragma warning restore CA1031
        {
            // There is no caller left to report it to.
        }
    }
}
