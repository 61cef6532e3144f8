namespace Poolhouse.Http.Tests.Support;

/// <summary>The system's clock, one reading of which the test can hold up.</summary>
internal sealed class HeldClock : TimeProvider, IDisposable
{
    private readonly ManualResetEventSlim _isHeld = new();
    private readonly ManualResetEventSlim _released = new();
    private int _holds;

    public void HoldNextReading() => Volatile.Write(ref _holds, 1);

    /// <summary>Returns when a thread waits for its reading.</summary>
    public void AwaitHeld() => Assert.True(_isHeld.Wait(Patience.Limit, TestContext.Current.CancellationToken));

    public void Release() => _released.Set();

    public override long GetTimestamp()
    {
        if (Interlocked.Exchange(ref _holds, 0) != 0)
        {
            _isHeld.Set();
            Assert.True(_released.Wait(Patience.Limit, CancellationToken.None));
        }

        return base.GetTimestamp();
    }

    public void Dispose()
    {
        _isHeld.Dispose();
        _released.Dispose();
    }
}
