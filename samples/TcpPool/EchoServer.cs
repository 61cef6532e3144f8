using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Samples.TcpPool;

/// <summary>Answers each line with the same line, after the prefix that the session has set.</summary>
internal sealed class EchoServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, port: 0);
    private readonly ConcurrentDictionary<TcpClient, bool> _sessions = new();
    private int _connections;

    public EchoServer()
    {
        _listener.Start();
        _ = AcceptAsync();
    }

    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndpoint;

    public int Connections => Volatile.Read(ref _connections);

    /// <summary>Closes every connection, as a restart would.</summary>
    public void DropAll()
    {
        foreach (var session in _sessions.Keys)
        {
            session.Dispose();
        }
    }

    /// <summary>Takes no new connections.</summary>
    public void Close() => _listener.Dispose();

    public void Dispose()
    {
        Close();
        DropAll();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                Interlocked.Increment(ref _connections);
                _sessions.TryAdd(client, value: true);
                _ = ServeAsync(client);
            }
        }
        catch (Exception stopped) when (stopped is SocketException or ObjectDisposedException)
        {
            // The server was disposed.
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        try
        {
            using var reader = new StreamReader(client.GetStream());
            await using var writer = new StreamWriter(client.GetStream()) { AutoFlush = true };
            await TalkAsync(reader, writer);
        }
        catch (Exception gone) when (gone is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The client or the server hung up.
        }
        finally
        {
            _sessions.TryRemove(client, out _);
            client.Dispose();
        }
    }

    private static async Task TalkAsync(StreamReader reader, StreamWriter writer)
    {
        var prefix = "";
        while (await reader.ReadLineAsync() is { } line and not "/quit")
        {
            switch (line.Split(' '))
            {
                case ["/prefix", var words]:
                    prefix = words + " ";
                    await writer.WriteLineAsync("ok");
                    break;
                case ["/reset"]:
                    prefix = "";
                    await writer.WriteLineAsync("ok");
                    break;
                case ["/silence"]:
                    break;
                default:
                    await writer.WriteLineAsync(prefix + line);
                    break;
            }
        }
    }
}
