namespace Poolhouse.Samples.Cookbook;

// snippet: session
/// <summary>
/// Stands for anything that is slow to open and must not be shared while in use: a connection, a login, a process.
/// </summary>
internal sealed class Session : IAsyncDisposable
{
    private static int _opened;

    private Session(int number) => Number = number;

    /// <summary>Whether the server behind the sessions accepts new ones.</summary>
    public static bool ServerIsUp { get; set; } = true;

    public int Number { get; }

    public bool IsClosed { get; private set; }

    public static async ValueTask<Session> OpenAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), cancellationToken);
        return ServerIsUp ? new Session(Interlocked.Increment(ref _opened)) : throw new IOException("The server is down.");
    }

    public async Task<string> SendAsync(string text, CancellationToken cancellationToken = default)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), cancellationToken);
        return IsClosed ? throw new IOException($"Session {Number} was closed by the server.") : text.ToUpperInvariant();
    }

    /// <summary>What a restarted server does.</summary>
    public void Close() => IsClosed = true;

    public ValueTask DisposeAsync()
    {
        IsClosed = true;
        return ValueTask.CompletedTask;
    }
}
// end snippet
