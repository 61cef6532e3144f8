namespace Poolhouse.Tests;

/// <summary>An item of work that blocks its worker until the test lets it go.</summary>
#pragma warning disable CA1001 // The item may have just been let go and still holds the events; they have no handle unless asked for one.
internal sealed class BlockingWork
#pragma warning restore CA1001
{
    private readonly ManualResetEventSlim _begun = new();
    private readonly ManualResetEventSlim _open = new();

    /// <summary>The item's own task.</summary>
    public Task Ended { get; set; } = Task.CompletedTask;

    public int Thread { get; private set; }

    public bool HasBegun => _begun.IsSet;

    /// <summary>The work, which blocks.</summary>
    public void Stop()
    {
        Thread = Environment.CurrentManagedThreadId;
        _begun.Set();
        Assert.True(_open.Wait(10 * Background.Limit), "Nobody opened the road.");
    }

    public void Meet() => Assert.True(_begun.Wait(Background.Limit), "The item did not begin.");

    public void Open() => _open.Set();

    public async Task OpenAsync()
    {
        Open();
        await Ended.WaitAsync(Background.Limit);
    }
}
