namespace Poolhouse.Resources.Engine;

/// <summary>A pool inside another one, which passes its operations on.</summary>
internal interface IInnerPool : IDisposable, IAsyncDisposable
{
    bool IsOpen { get; }

    void Clear(TimeSpan spread = default);

    int Trim();

    Task DrainAsync(CancellationToken cancellationToken = default);

    /// <summary>Destroys the idle items that were broken by their parents.</summary>
    void DestroyBrokenByParent();
}
