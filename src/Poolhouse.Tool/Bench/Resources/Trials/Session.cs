namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>The pooled item of a trial: a session with the backend.</summary>
internal sealed class Session(Backend backend, int generation, long openedAt) : IDisposable
{
    /// <summary>Whether the backend has been down since.</summary>
    public bool IsBroken => backend.Generation != generation;

    /// <summary>When it was opened, as a timestamp.</summary>
    public long OpenedAt => openedAt;

    public void Dispose() => backend.Close();
}
