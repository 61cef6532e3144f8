namespace Zoo;

/// <summary>An app with one habit, good or bad.</summary>
internal abstract class App : IAsyncDisposable
{
    /// <summary>How often it does what it does, a second.</summary>
    public abstract int PerSecond { get; }

    /// <summary>The connections that it has opened.</summary>
    public virtual int Connections => 0;

    public abstract ValueTask DoAsync();

    public ValueTask DisposeAsync() => EndAsync();

    protected virtual ValueTask EndAsync() => default;
}
