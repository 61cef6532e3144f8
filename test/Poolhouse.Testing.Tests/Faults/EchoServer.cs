using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Testing.Tests.Faults;

/// <summary>Sends back and records what it receives. Ends a connection when its client does.</summary>
internal sealed class EchoServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public EchoServer()
    {
        _listener.Start();
        _ = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public ConcurrentQueue<EchoSession> Sessions { get; } = [];

    public Task<EchoSession> OnlySessionAsync() =>
        Patience.UntilAsync(() => !Sessions.IsEmpty).ContinueWith(_ => Assert.Single(Sessions), TaskScheduler.Default);

    public void Dispose() => _listener.Dispose();

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var session = new EchoSession(new SocketPeer(await _listener.AcceptSocketAsync()));
                Sessions.Enqueue(session);
                _ = session.RunAsync();
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }
}

/// <summary>A connection as the echo server sees it.</summary>
internal sealed class EchoSession(SocketPeer client)
{
    private readonly TaskCompletionSource<PeerEnd> _end = new();

    /// <summary>Everything received so far, as text.</summary>
    public string Received { get; private set; } = "";

    /// <summary>How the client, or the proxy for it, ended the connection.</summary>
    public Task<PeerEnd> End => _end.Task.WaitAsync(Patience.Time);

    public async Task RunAsync()
    {
        while (await client.ReceiveAsync() is { Length: > 0 } text)
        {
            Received += text;
            await client.TrySendAsync(text);
        }

        _end.SetResult(client.End!.Value);
        client.Dispose();
    }
}
