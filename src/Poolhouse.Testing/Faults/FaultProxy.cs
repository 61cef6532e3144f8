using System.Net;
using System.Net.Sockets;
using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>A TCP proxy on 127.0.0.1 in front of a real server, which simulates network faults.</summary>
/// <remarks>
/// <para>
/// Let the client connect to <see cref="Host"/> and <see cref="Port"/> instead of the server. <see cref="Mode"/> applies to new
/// connections. Data passes through the toxics of its direction, <see cref="ToServer"/> or <see cref="ToClient"/>, in the order
/// of their addition; without toxics it is forwarded unchanged. Toxics can be added and removed at any time, also for open
/// connections.
/// </para>
/// <para>
/// Bytes that the proxy does not forward are acknowledged nevertheless, because the proxy has received them: keep-alive probes
/// and the acknowledgement timeouts of the system detect no fault. For a pool the effect is that of a silent peer.
/// </para>
/// <para>Thread safe. Disposal frees the port and closes every connection.</para>
/// </remarks>
// How it works
//   a loop accepts while the proxy is open; each open period has its own loop, ended by its token
//   each connection has two pumps, one per direction: see FaultPump, which passes every piece through the list of toxics
//   _reservation has the port from beginning to end and never listens: while the proxy is down the system assigns the port
//   to no process that requests any port, neither to a server nor to a client, which might then connect to itself
// Locks
//   _gate guards the mode, the listener and the set of connections; sockets are closed and toxics woken outside of it
public sealed class FaultProxy : IAsyncDisposable, IDisposable
{
    // The number of clients that may connect at the same moment: the system makes further clients retry after a second.
    private const int Backlog = 1024;

    private readonly Lock _gate = new();
#pragma warning disable CA2213 // Not disposed: it has no timer, and connections that are being closed still read it.
    private readonly CancellationTokenSource _cut = new();
#pragma warning restore CA2213
    private readonly HashSet<FaultConnection> _connections = [];
    private readonly HashSet<Task> _running = [];

    // Accepted at the moment at which the proxy became deaf.
    private readonly List<Socket> _early = [];
    private readonly Socket _reservation;
    private readonly string _targetHost;
    private readonly int _targetPort;
    private readonly TimeProvider _time;
    private FaultProxyMode _mode = FaultProxyMode.Down;
    private Socket? _listener;
    private CancellationTokenSource? _accepting;
    private int _accepted;
    private bool _disposed;

    private FaultProxy(string host, int port, TimeProvider time)
    {
        _targetHost = host;
        _targetPort = port;
        _time = time;
        ToServer = new FaultDirection(() => HalfCloseAll(towardsServer: true));
        ToClient = new FaultDirection(() => HalfCloseAll(towardsServer: false));
        _reservation = BindTo(0);
        Port = ((IPEndPoint)_reservation.LocalEndPoint!).Port;
    }

    /// <summary>The address on which the proxy listens: <c>127.0.0.1</c>.</summary>
    public string Host { get; } = IPAddress.Loopback.ToString();

    /// <summary>The port on which the proxy listens; it does not change when the proxy is down.</summary>
    public int Port { get; }

    /// <summary>The direction from the clients to the server.</summary>
    public FaultDirection ToServer { get; }

    /// <summary>The direction from the server to the clients.</summary>
    public FaultDirection ToClient { get; }

    /// <summary>The number of open connections: accepted, and neither ended nor closed in both directions.</summary>
    public int Connections
    {
        get
        {
            lock (_gate)
            {
                return _connections.Count;
            }
        }
    }

    /// <summary>The number of connections that the proxy has accepted so far.</summary>
    public int Accepted
    {
        get
        {
            lock (_gate)
            {
                return _accepted;
            }
        }
    }

    /// <summary>Determines how new connections are handled. Takes effect before the setter returns.</summary>
    /// <value><see cref="FaultProxyMode.Open"/> at first.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a <see cref="FaultProxyMode"/>.</exception>
    /// <exception cref="SocketException">Another program listens on the port: the proxy stays down.</exception>
    /// <exception cref="ObjectDisposedException">The proxy is disposed.</exception>
    public FaultProxyMode Mode
    {
        get
        {
            lock (_gate)
            {
                return _mode;
            }
        }

        set
        {
            if (!Enum.IsDefined(value))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, $"Mode is {value}; allowed are Open, Deaf and Down.");
            }

            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                Enter(value);
            }
        }
    }

    /// <summary>Starts a proxy on a free port.</summary>
    /// <param name="host">The name or address of the server.</param>
    /// <param name="port">The port of the server; 1 to 65,535.</param>
    /// <param name="time">The clock of delays; null: the system's.</param>
    /// <returns>A proxy that accepts connections and forwards all data.</returns>
    /// <exception cref="ArgumentException"><paramref name="host"/> is empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not a valid port.</exception>
    /// <exception cref="SocketException">No free port is available.</exception>
    public static FaultProxy Start(string host, int port, TimeProvider? time = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(host);
        ArgumentOutOfRangeException.ThrowIfLessThan(port, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, IPEndPoint.MaxPort);
        return new FaultProxy(host, port, time ?? TimeProvider.System) { Mode = FaultProxyMode.Open };
    }

    /// <summary>Closes every connection on both sides (FIN). <see cref="Mode"/> applies to new connections.</summary>
    public void CloseAll() => EndAll(ConnectionEnd.Close);

    /// <summary>Resets every connection on both sides (RST). <see cref="Mode"/> applies to new connections.</summary>
    public void ResetAll() => EndAll(ConnectionEnd.Reset);

    /// <summary>Removes every toxic and opens the proxy. Open connections stay.</summary>
    /// <exception cref="ObjectDisposedException">The proxy is disposed.</exception>
    public void Heal()
    {
        Mode = FaultProxyMode.Open;
        ToServer.Clear();
        ToClient.Clear();
    }

    /// <summary>
    /// Releases the port, closes every connection, and waits until all work of the proxy has ended. A second call has no effect.
    /// </summary>
    /// <returns>A task that completes when all work has ended.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        Task[] running;
        lock (_gate)
        {
            running = [.. _running];
        }

        await Task.WhenAll(running).ConfigureAwait(false);
    }

    /// <summary>Releases the port and closes every connection. A second call has no effect.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            Enter(FaultProxyMode.Down);
            _disposed = true;
        }

        _reservation.Dispose();
        CloseAll();
        _cut.Cancel();
    }

    private static Socket BindTo(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            // Two sockets are bound to the port, of which at most one listens.
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, optionValue: true);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    // Under the gate, so that no other listener is started in between. A cancelled loop only checks its token and ends.
    private void Enter(FaultProxyMode mode)
    {
        if (mode == _mode)
        {
            return;
        }

        // Operations that may fail come first: a proxy that cannot listen stays down.
        if (mode != FaultProxyMode.Down)
        {
            _listener ??= Listen();
        }

        _mode = mode;
        _accepting?.Cancel();
        _accepting?.Dispose();
        _accepting = null;
        if (mode != FaultProxyMode.Deaf)
        {
            _early.ForEach(Serve);
            _early.Clear();
        }

        if (mode == FaultProxyMode.Down)
        {
            _listener?.Dispose();
            _listener = null;
            return;
        }

        if (mode == FaultProxyMode.Open)
        {
            _accepting = new CancellationTokenSource();
            var (listener, token) = (_listener!, _accepting.Token);
            Track(Task.Run(() => AcceptAsync(listener, token), CancellationToken.None));
        }
    }

    private Socket Listen()
    {
        var listener = BindTo(Port);
        try
        {
            listener.Listen(Backlog);
            return listener;
        }
        catch
        {
            listener.Dispose();
            throw;
        }
    }

    private async Task AcceptAsync(Socket listener, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                Serve(await listener.AcceptAsync(cancellationToken).ConfigureAwait(false));
            }
            catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
            {
                // The proxy is no longer open, or a client disconnected before it was accepted.
            }
        }
    }

    private void Serve(Socket client)
    {
        FaultConnection connection;
        lock (_gate)
        {
            if (_mode == FaultProxyMode.Deaf)
            {
                _early.Add(client);
                return;
            }

            connection = new FaultConnection(client, ToServer, ToClient, _time, _cut.Token);
            if (_mode == FaultProxyMode.Open)
            {
                _accepted++;
                _connections.Add(connection);
                Track(Task.Run(() => RunAsync(connection), CancellationToken.None));
                return;
            }
        }

        // Accepted just before the proxy went down: it must not outlive a ResetAll that follows.
        connection.End(ConnectionEnd.Reset);
    }

    private async Task RunAsync(FaultConnection connection)
    {
        try
        {
            await connection.RunAsync(_targetHost, _targetPort).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
            {
                _connections.Remove(connection);
            }
        }

        await connection.WhenOver.ConfigureAwait(false);
    }

    // Under the gate. Ended connections are removed when the next one is added.
    private void Track(Task task)
    {
        _running.RemoveWhere(each => each.IsCompleted);
        _running.Add(task);
    }

    private void EndAll(ConnectionEnd end)
    {
        FaultConnection[] connections;
        lock (_gate)
        {
            connections = [.. _connections];
            _connections.Clear();
        }

        foreach (var connection in connections)
        {
            connection.End(end);
        }
    }

    private void HalfCloseAll(bool towardsServer)
    {
        FaultConnection[] connections;
        lock (_gate)
        {
            connections = [.. _connections];
        }

        foreach (var connection in connections)
        {
            connection.HalfClose(towardsServer);
        }
    }
}
