using System.Net.Sockets;

namespace Poolhouse.Testing;

/// <summary>A connection through a proxy: two sockets and a pump for each direction.</summary>
#pragma warning disable CA1001 // End closes the sockets; the source is not disposed, since it has no timer and toxics may still look at it.
internal sealed class FaultConnection
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _ended = new();
    private readonly Socket _client;
    private readonly Socket _server = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly FaultPump _toServer;
    private readonly FaultPump _toClient;
    private int _isEnded;

    public FaultConnection(Socket client, FaultDirection toServer, FaultDirection toClient, TimeProvider time)
    {
        client.NoDelay = true;
        _client = client;
        Time = time;
        _toServer = new FaultPump(_client, _server, toServer, this);
        _toClient = new FaultPump(_server, _client, toClient, this);
    }

    public TimeProvider Time { get; }

    /// <summary>Cancelled when the connection ends.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Connects to the server and pumps until both directions are at their end, or somebody ends the connection.</summary>
    public async Task RunAsync(string host, int port)
    {
        try
        {
            await _server.ConnectAsync(host, port, Ended).ConfigureAwait(false);
            await Task.WhenAll(_toServer.RunAsync(), _toClient.RunAsync()).ConfigureAwait(false);
            End(ConnectionEnd.Close);
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The server is not there.
        }
        finally
        {
            // The client is accepted already and can only be reset. Nothing happens if the connection ended before.
            End(ConnectionEnd.Reset);
        }
    }

    /// <summary>Ends both sides; only the first call counts.</summary>
    public void End(ConnectionEnd end)
    {
        // An exchange, because a pump, a toxic and a test may all end it.
        if (Interlocked.Exchange(ref _isEnded, 1) == 0)
        {
            EndSide(_client, end);
            EndSide(_server, end);
            _ended.Cancel();
        }
    }

    /// <summary>Tells the receiver of a direction that nothing more comes; the other direction goes on.</summary>
    public void HalfClose(bool towardsServer) => (towardsServer ? _toServer : _toClient).CloseOutput();

    private static void EndSide(Socket socket, ConnectionEnd end)
    {
        try
        {
            if (end == ConnectionEnd.Reset)
            {
                // Closing with no time to linger sends RST.
                socket.LingerState = new LingerOption(enable: true, seconds: 0);
            }
            else
            {
                socket.Shutdown(SocketShutdown.Both);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It is gone already.
        }

        socket.Dispose();
    }
}
