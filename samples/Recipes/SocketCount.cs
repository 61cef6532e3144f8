namespace Poolhouse.Samples.Recipes;

/// <summary>Counts the sockets of a server that does not count itself.</summary>
internal sealed class SocketCount
{
    private readonly Lock _gate = new();
    private int _open;

    public int Most { get; private set; }

    public Socket Open()
    {
        Count(1);
        return new Socket(this);
    }

    private void Count(int change)
    {
        lock (_gate)
        {
            _open += change;
            Most = Math.Max(Most, _open);
        }
    }

    internal sealed class Socket(SocketCount count) : IDisposable
    {
        public void Dispose() => count.Count(-1);
    }
}
