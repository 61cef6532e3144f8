using System.Net;
using System.Net.Sockets;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>An LDAP server in this process, on a port of 127.0.0.1, with a directory in memory and faults on command.</summary>
/// <remarks>
/// <para>
/// It speaks LDAPv3 (RFC 4511): simple bind, search with every filter but extensible ones, paged results, add, delete, modify,
/// modify DN of an entry without others below it, compare, abandon, unbind, WhoAmI, and with a certificate StartTLS or ldaps.
/// Requests of a connection are answered in order. Anonymous clients may read unless the options forbid it, bound clients may
/// write, and a bind is checked against the attribute <c>userPassword</c>. Nothing is stored, and passwords are plain text. It is
/// not OpenLDAP: there is no schema, and options of attributes are not distinguished. Test what depends on the server rather than
/// on the client with a real one.
/// </para>
/// <para>Thread safe. Disposal frees the port, ends every connection, and waits until nothing of the server runs.</para>
/// </remarks>
// How it works
//   a loop accepts while the server listens; each connection has a task that reads, and one that does what was read: see
//   LdapServerConnection
//   _reservation has the port from beginning to end and never listens: while the server is away, the system assigns the port
//   to no process that requests any port, neither to a server nor to a client, which might then connect to itself
// Locks
//   _gate guards the listener, the set of connections and the counts; connections are ended outside of it
internal sealed class LdapTestServer : IAsyncDisposable
{
    private const int Backlog = 512;

    private readonly Lock _gate = new();
    private readonly HashSet<LdapServerConnection> _connections = [];
    private readonly HashSet<Task> _running = [];
    private readonly LdapOperationLog _log;
    private readonly Socket _reservation;
    private Socket? _listener;
    private CancellationTokenSource? _accepting;
    private int _peakConnections;
    private long _accepted;
    private bool _stopped;
    private bool _disposed;

    private LdapTestServer(LdapTestServerOptions options)
    {
        Options = options;
        Directory = new LdapTestDirectory(BaseDn, options.TimeProvider);
        Faults = new LdapTestFaults(this);
        _log = new LdapOperationLog(options.MaxRememberedOperations);
        _reservation = BindTo(port: 0);
        Port = ((IPEndPoint)_reservation.LocalEndPoint!).Port;
    }

    /// <summary>The address on which the server listens: <c>127.0.0.1</c>.</summary>
    public string Host { get; } = IPAddress.Loopback.ToString();

    /// <summary>The port on which the server listens; the same after it was away.</summary>
    public int Port { get; }

    /// <summary>The name of the directory's first entry.</summary>
    public string BaseDn { get; } = "dc=example,dc=org";

    /// <summary>The entries.</summary>
    public LdapTestDirectory Directory { get; }

    /// <summary>The faults of the server; none at first.</summary>
    public LdapTestFaults Faults { get; }

    /// <summary>How many connections the server has.</summary>
#pragma warning disable CA1721 // How many there are, beside which they are, as the list of operations has its count.
    public int Connections
#pragma warning restore CA1721
    {
        get
        {
            lock (_gate)
            {
                return _connections.Count;
            }
        }
    }

    /// <summary>How many connections the server had at most at once.</summary>
    public int PeakConnections
    {
        get
        {
            lock (_gate)
            {
                return _peakConnections;
            }
        }
    }

    /// <summary>How many connections the server has accepted so far.</summary>
    public long ConnectionsAccepted
    {
        get
        {
            lock (_gate)
            {
                return _accepted;
            }
        }
    }

    /// <summary>How many operations the server has taken up so far, on all connections. Abandon and unbind count.</summary>
    public long OperationCount => _log.Count;

    internal LdapTestServerOptions Options { get; }

    /// <summary>Starts a server. Its directory has one entry, the base.</summary>
    /// <param name="options">The settings; null for the defaults.</param>
    public static LdapTestServer Start(LdapTestServerOptions? options = null)
    {
        var server = new LdapTestServer(options ?? new LdapTestServerOptions());
        server.Listen();
        return server;
    }

    /// <summary>The connections that the server has, oldest first.</summary>
    /// <returns>A snapshot.</returns>
    public IReadOnlyList<LdapTestConnection> GetConnections()
    {
        lock (_gate)
        {
            return [.. _connections.OrderBy(connection => connection.Id).Select(connection => connection.Snapshot())];
        }
    }

    /// <summary>
    /// The last operations that the server received, oldest first; the number is
    /// <see cref="LdapTestServerOptions.MaxRememberedOperations"/>.
    /// </summary>
    /// <returns>A copy. The result of an operation in progress is set in it later.</returns>
    public IReadOnlyList<LdapTestOperation> GetOperations() => _log.ToList();

    /// <summary>Forgets the operations so far. <see cref="OperationCount"/> stays.</summary>
    public void ClearOperations() => _log.Clear();

    /// <summary>Ends every connection without a notice. New ones are accepted.</summary>
    public void DropConnections()
    {
        LdapServerConnection[] connections;
        lock (_gate)
        {
            connections = [.. _connections];
            _connections.Clear();
        }

        foreach (var connection in connections)
        {
            connection.Drop();
        }
    }

    /// <summary>
    /// Goes down: ends every connection and refuses new ones. The directory is kept. Has no effect if the server is down.
    /// </summary>
    public void Stop()
    {
        lock (_gate)
        {
            _stopped = true;
            FollowState();
        }

        DropConnections();
    }

    /// <summary>
    /// Comes back on the same port, with the same directory and faults; every connection is lost, also if the server was not
    /// away.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The server is disposed.</exception>
    public void Restart()
    {
        Stop();
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _stopped = false;
            FollowState();
        }
    }

    /// <summary>
    /// Frees the port, ends every connection, and waits until nothing of the server runs. A second call only waits.
    /// </summary>
    /// <returns>A task that ends when nothing runs.</returns>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _disposed = true;
        }

        Stop();
        _reservation.Dispose();
        Task[] running;
        lock (_gate)
        {
            running = [.. _running];
        }

        await Task.WhenAll(running).ConfigureAwait(false);
    }

    /// <summary>Starts or stops listening, depending on the faults.</summary>
    internal void Listen()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            FollowState();
        }
    }

    internal void RestartIdleTimers()
    {
        LdapServerConnection[] connections;
        lock (_gate)
        {
            connections = [.. _connections];
        }

        foreach (var connection in connections)
        {
            connection.RestartIdleTimer();
        }
    }

    internal LdapTestOperation Log(long connection, LdapRequest request, string boundDn) =>
        _log.Add(new LdapTestOperation(connection, request.Kind, boundDn, request.Target));

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

    // Under the gate, so that no other listener intervenes. A cancelled loop only checks its token and ends.
    private void FollowState()
    {
        var listens = !_stopped && !_disposed && !Faults.RefuseConnections;
        if (listens == _listener is not null)
        {
            return;
        }

        _accepting?.Cancel();
        _accepting?.Dispose();
        _accepting = null;
        StopListening();
        if (listens)
        {
            var listener = BindTo(Port);
            listener.Listen(Backlog);
            _listener = listener;
            _accepting = new CancellationTokenSource();
            var token = _accepting.Token;
            Track(Task.Run(() => AcceptAsync(listener, token), CancellationToken.None));
        }
    }

    private void StopListening()
    {
        try
        {
            // Closing alone takes effect when the socket is no longer in use, a moment later.
            _listener?.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // Some systems have it that only connections are shut down.
        }

        _listener?.Dispose();
        _listener = null;
    }

    private async Task AcceptAsync(Socket listener, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                Serve(await listener.AcceptAsync(cancellationToken).ConfigureAwait(false), listener);
            }
            catch (Exception e) when (
                e is OperationCanceledException or SocketException or ObjectDisposedException or IOException)
            {
                // The server no longer listens, or a client was gone before it was accepted.
            }
        }
    }

    private void Serve(Socket client, Socket listener)
    {
        lock (_gate)
        {
            if (_listener == listener)
            {
                var connection = new LdapServerConnection(this, client, ++_accepted);
                _connections.Add(connection);
                _peakConnections = Math.Max(_peakConnections, _connections.Count);
                Track(Task.Run(() => RunAsync(connection), CancellationToken.None));
                return;
            }
        }

        // Accepted just before the server went away.
        client.Dispose();
    }

    private async Task RunAsync(LdapServerConnection connection)
    {
        try
        {
            await connection.RunAsync().ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
            {
                _connections.Remove(connection);
            }
        }
    }

    // Under the gate. Ended ones go when the next comes; those that failed stay, so that the disposal reports them.
    private void Track(Task task)
    {
        _running.RemoveWhere(each => each.IsCompletedSuccessfully);
        _running.Add(task);
    }
}
