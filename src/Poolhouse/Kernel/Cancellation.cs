namespace Poolhouse.Kernel;

/// <summary>Cancels a token that was passed to hooks. Its callbacks are user code, so they run as a separate work item.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    // An exception comes from a callback of an abandoned hook, or the source was disposed meanwhile.
    public void Execute() => UserCode.Cancel(source);
}
