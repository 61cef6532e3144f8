namespace Poolhouse.Samples.HelloPools;

/// <summary>Stands for anything that is slow to open and must not be shared: a connection, a session, a process.</summary>
// snippet: link
internal sealed class Link : IAsyncDisposable
{
    private static int _opened;

    private Link(int number) => Number = number;

    public int Number { get; }

    public bool IsBroken { get; private set; }

    public string? User { get; set; }

    public static async ValueTask<Link> OpenAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), cancellationToken);
        return new Link(Interlocked.Increment(ref _opened));
    }

    public async ValueTask<string> SendAsync(string text, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        return $"{text} was sent over link {Number}.";
    }

    public void Break() => IsBroken = true;

    public ValueTask DisposeAsync()
    {
        IsBroken = true;
        return ValueTask.CompletedTask;
    }
}
// end snippet
