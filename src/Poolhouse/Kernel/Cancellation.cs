namespace Poolhouse.Kernel;

/// <summary>Cancels a token that was passed to hooks. Its callbacks are user code, so they run as a separate work item.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    // Exceptions are those of callbacks of an abandoned hook, or the last user has ended meanwhile.
    public void Execute() => UserCode.Notify(source, 0, static (source, _) => source.Cancel());
}
