using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Stress;

/// <summary>Answers requests on loopback in any order, many at once on a connection; drops connections now and then.</summary>
internal sealed class EchoServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentDictionary<TcpClient, bool> _connections = new();
    private int _most;

    public EchoServer()
    {
        _listener.Start();
        _ = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public int Connections => _connections.Count;

    /// <summary>The maximum number of simultaneous connections.</summary>
    public int MostConnections => Volatile.Read(ref _most);

    /// <summary>Closes one connection without a notice.</summary>
    public void DropOne()
    {
        foreach (var connection in _connections.Keys.Take(1))
        {
            connection.Close();
        }
    }

    public void Dispose()
    {
        _listener.Dispose();
        foreach (var connection in _connections.Keys)
        {
            connection.Dispose();
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var connection = await _listener.AcceptTcpClientAsync();
                connection.NoDelay = true;
                _connections[connection] = true;
                _most = Math.Max(_most, _connections.Count);
                _ = ServeAsync(connection);
            }
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            // The server was disposed.
        }
    }

    private async Task ServeAsync(TcpClient connection)
    {
        var writing = new SemaphoreSlim(1);
        try
        {
            var stream = connection.GetStream();
            while (true)
            {
                var request = new byte[EchoClient.FrameSize];
                await stream.ReadExactlyAsync(request);
                _ = AnswerAsync(stream, writing, request);
            }
        }
        catch (Exception end) when (end is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The client left, or the connection was dropped.
        }
        finally
        {
            _connections.TryRemove(connection, out _);
            connection.Dispose();
        }
    }

    private static async Task AnswerAsync(NetworkStream stream, SemaphoreSlim writing, byte[] request)
    {
        try
        {
            // A later request may be answered earlier: the number of the request determines the delay.
            for (var turn = BinaryPrimitives.ReadInt64LittleEndian(request) % 3; turn > 0; turn--)
            {
                await Task.Yield();
            }

            await writing.WaitAsync();
            try
            {
                await stream.WriteAsync(request);
            }
            finally
            {
                writing.Release();
            }
        }
        catch (Exception end) when (end is IOException or ObjectDisposedException)
        {
            // As above.
        }
    }
}
