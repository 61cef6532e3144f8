using System.Net;
using System.Net.Sockets;
using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>A TCP proxy on 127.0.0.1 before a real server, which disturbs the connections in every way that networks know.</summary>
/// <remarks>
/// <para>
/// Let the client connect to <see cref="Host"/> and <see cref="Port"/> instead of the server's. New connections follow <see cref="Mode"/>. What is
/// sent passes through the toxics of its direction, <see cref="ToServer"/> or <see cref="ToClient"/>, in the order of their addition; without
/// any it passes as it is. Toxics come and go at any time, also for open connections.
/// </para>
/// <para>
/// Bytes that a proxy does not pass on are acknowledged all the same, since the proxy has them: keep-alive probes and the acknowledgement timeouts
/// of the system find nothing wrong. What a pool has to notice, a silent peer, is the same.
/// </para>
/// <para>Thread safe. Disposal frees the port and closes every connection.</para>
/// </remarks>
// How it works
//   a loop accepts while the proxy is open; each open period has a loop of its own, ended by its token
//   each connection has two pumps, one a direction: see FaultPump, which takes every piece through the list of toxics
//   _reservation has the port from beginning to end and never listens: while the proxy is down the system gives the port to nobody
//   who asks for any port, neither to another server nor to a client, which might then connect to itself
// Locks
//   _gate guards the mode, the listener and the set of connections; sockets are closed and toxics woken outside of it
public sealed class FaultProxy : IAsyncDisposable, IDisposable
{
    // As many clients as may connect at the same moment: the system makes those beyond try again after a second.
    private const int Backlog = 1024;

    private readonly Lock _gate = new();
#pragma warning disable CA2213 // Not disposed: it has no timer, and connections that are being closed still look at it.
    private readonly CancellationTokenSource _cut = new();
#pragma warning restore CA2213
    private readonly HashSet<FaultConnection> _connections = [];
    private readonly HashSet<Task> _running = [];
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

    /// <summary>The port on which the proxy listens; the same after it was down.</summary>
    public int Port { get; }

    /// <summary>What clients send.</summary>
    public FaultDirection ToServer { get; }

    /// <summary>What the server sends.</summary>
    public FaultDirection ToClient { get; }

    /// <summary>How many connections the proxy has: accepted, and neither ended nor closed in both directions.</summary>
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

    /// <summary>How many connections the proxy has accepted so far.</summary>
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

    /// <summary>What becomes of new connections. When the setter returns, it holds.</summary>
    /// <value><see cref="FaultProxyMode.Open"/> at first.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is none of the three.</exception>
    /// <exception cref="SocketException">Somebody else listens on the port: the proxy stays down.</exception>
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
    /// <returns>A proxy that accepts connections and passes everything on.</returns>
    /// <exception cref="ArgumentException"><paramref name="host"/> is empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is no port.</exception>
    /// <exception cref="SocketException">The system gives no port.</exception>
    public static FaultProxy Start(string host, int port, TimeProvider? time = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(host);
        ArgumentOutOfRangeException.ThrowIfLessThan(port, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, IPEndPoint.MaxPort);
        return new FaultProxy(host, port, time ?? TimeProvider.System) { Mode = FaultProxyMode.Open };
    }

    /// <summary>Closes every connection on both sides (FIN). New ones follow <see cref="Mode"/>.</summary>
    public void CloseAll() => EndAll(ConnectionEnd.Close);

    /// <summary>Resets every connection on both sides (RST). New ones follow <see cref="Mode"/>.</summary>
    public void ResetAll() => EndAll(ConnectionEnd.Reset);

    /// <summary>Removes every toxic and opens the proxy. Open connections stay.</summary>
    /// <exception cref="ObjectDisposedException">The proxy is disposed.</exception>
    public void Heal()
    {
        Mode = FaultProxyMode.Open;
        ToServer.Clear();
        ToClient.Clear();
    }

    /// <summary>Frees the port, closes every connection, and waits until nothing of the proxy runs. A second call does nothing.</summary>
    /// <returns>A task that ends when nothing runs.</returns>
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

    /// <summary>Frees the port and closes every connection. A second call does nothing.</summary>
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
            // Two sockets have the port, of which at most one listens.
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

    // Under the gate, so that nobody else's listener comes in between. A loop that is cancelled only looks at its token and ends.
    private void Enter(FaultProxyMode mode)
    {
        if (mode == _mode)
        {
            return;
        }

        // What may fail comes first: a proxy that cannot listen stays down.
        if (mode != FaultProxyMode.Down)
        {
            _listener ??= Listen();
        }

        _mode = mode;
        _accepting?.Cancel();
        _accepting?.Dispose();
        _accepting = null;
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
                // The proxy is no longer open, or a client was gone before it was accepted.
            }
        }
    }

    private void Serve(Socket client)
    {
        var connection = new FaultConnection(client, ToServer, ToClient, _time, _cut.Token);
        lock (_gate)
        {
            if (_mode != FaultProxyMode.Down)
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

    // Under the gate. Ended ones go when the next comes.
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
