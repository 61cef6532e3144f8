namespace Poolhouse.Tests;

/// <summary>An item of work that blocks its worker until the test releases it.</summary>
#pragma warning disable CA1001 // A just released item may still use the events; they have no handle unless one is requested.
internal sealed class BlockingWork
#pragma warning restore CA1001
{
    private readonly ManualResetEventSlim _started = new();
    private readonly ManualResetEventSlim _released = new();

    /// <summary>The item's own task.</summary>
    public Task Ended { get; set; } = Task.CompletedTask;

    public int Thread { get; private set; }

    public bool HasStarted => _started.IsSet;

    /// <summary>The work, which blocks.</summary>
    public void Block()
    {
        Thread = Environment.CurrentManagedThreadId;
        _started.Set();
        Assert.True(_released.Wait(10 * Background.Limit), "The test did not release the item.");
    }

    public void WaitUntilStarted() => Assert.True(_started.Wait(Background.Limit), "The item did not begin.");

    public void Release() => _released.Set();

    public async Task ReleaseAsync()
    {
        Release();
        await Ended.WaitAsync(Background.Limit);
    }
}
