namespace Poolhouse.Tests;

/// <summary>An observer that blocks on a failed creation until the test releases it.</summary>
internal sealed class BlockingObserver : ResourcePoolObserver, IDisposable
{
    private readonly ManualResetEventSlim _blocked = new();
    private readonly ManualResetEventSlim _released = new();

    public override void OnCreateFailed(in ItemCreateFailedArgs failed)
    {
        _blocked.Set();
        _released.Wait(Background.Limit);
    }

    public void AwaitBlocked() => Assert.True(_blocked.Wait(Background.Limit), "The observer was not notified.");

    public void Release() => _released.Set();

    public void Dispose()
    {
        _released.Set();
        _released.Dispose();
        _blocked.Dispose();
    }
}
