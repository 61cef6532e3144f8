using System.Net.Sockets;

namespace Poolhouse.Testing.Faults.Internal;

/// <summary>A connection through a proxy: two sockets and a pump for each direction.</summary>
#pragma warning disable CA1001 // End closes the sockets; the source is not disposed, since it has no timer and toxics may still read it.
internal sealed class FaultConnection
#pragma warning restore CA1001
{
    // How long a peer that does not close its side may take to read what it was sent.
    private static readonly TimeSpan _lingering = TimeSpan.FromSeconds(1);

    private readonly CancellationTokenSource _ended = new();
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationToken _cut;
    private readonly Socket _client;
    private readonly Socket _server = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly FaultPump _toServer;
    private readonly FaultPump _toClient;
    private int _isEnded;

    public FaultConnection(
        Socket client, FaultDirection toServer, FaultDirection toClient, TimeProvider time, CancellationToken cut)
    {
        client.NoDelay = true;
        _client = client;
        _cut = cut;
        Time = time;
        _toServer = new FaultPump(_client, _server, toServer, this);
        _toClient = new FaultPump(_server, _client, toClient, this);
        _toClient.ConnectOutput();
    }

    public TimeProvider Time { get; }

    /// <summary>Cancelled when the connection ends.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Completes when both sockets are closed, some time after the end: see <see cref="CloseAsync"/>.</summary>
    public Task WhenOver => _over.Task;

    /// <summary>Connects to the server and pumps until both directions have ended, or the connection is ended.</summary>
    public async Task RunAsync(string host, int port)
    {
        try
        {
            await _server.ConnectAsync(host, port, Ended).ConfigureAwait(false);
            _toServer.ConnectOutput();
            await Task.WhenAll(_toServer.RunAsync(), _toClient.RunAsync()).ConfigureAwait(false);
            End(ConnectionEnd.Close);
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // The server cannot be reached.
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
            if (end == ConnectionEnd.Reset)
            {
                Reset(_client);
                Reset(_server);
                _ended.Cancel();
                _over.TrySetResult();
                return;
            }

            ShutDown(_client);
            ShutDown(_server);
            _ended.Cancel();
            _ = CloseBothAsync();
        }
    }

    /// <summary>Ends the connection if a side that has sent its end refuses what the other one sends.</summary>
    // Nothing is read from that side any more, so its reset would not be noticed.
    public void EndIfRefused()
    {
        // Each pump sets a flag of its own before it reads the other's here: with a full fence in between, at least one of them
        // sees both.
        Interlocked.MemoryBarrier();
        if ((_toClient.IsRefused && _toServer.HasPassedEnd) || (_toServer.IsRefused && _toClient.HasPassedEnd))
        {
            End(ConnectionEnd.Reset);
        }
    }

    /// <summary>Ends a direction for its receiver; the other direction continues.</summary>
    public void HalfClose(bool towardsServer) => (towardsServer ? _toServer : _toClient).CloseOutput();

    private static void Reset(Socket socket)
    {
        try
        {
            // Closing with no time to linger sends RST.
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It has already ended.
        }

        socket.Dispose();
    }

    private static void ShutDown(Socket socket)
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It has already ended.
        }
    }

    private async Task CloseBothAsync()
    {
        await Task.WhenAll(CloseAsync(_client), CloseAsync(_server)).ConfigureAwait(false);
        _over.TrySetResult();
    }

    // The system resets a connection that is closed while bytes are unread or still come, and the peer then loses what it was
    // sent before the end. So incoming data is read and dropped until the peer has closed its side, too, or for a while.
    private async Task CloseAsync(Socket socket)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_cut);
        limit.CancelAfter(_lingering);
        try
        {
            var dropped = new byte[4096];
            while (await socket.ReceiveAsync(dropped, limit.Token).ConfigureAwait(false) > 0)
            {
            }
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // It has ended, or the time is over.
        }

        socket.Dispose();
    }
}
