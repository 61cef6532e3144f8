namespace Poolhouse.Kernel;

/// <summary>Cancels a token that hooks were given. Its callbacks are their code, so they run as work of their own.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    public void Execute()
    {
        try
        {
            source.Cancel();
        }
#pragma warning disable CA1031 // Thrown by callbacks of a hook that was given up, or because the last of its users has ended meanwhile.
        catch (Exception)
#pragma warning restore CA1031
        {
            // There is nobody left to tell.
        }
    }
}
