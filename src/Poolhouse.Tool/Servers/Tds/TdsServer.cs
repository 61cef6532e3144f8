using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Poolhouse.Tool.Servers.Tds.Sql;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>
/// A model of SQL Server in this process, on a port of 127.0.0.1: it speaks TDS 7.4 and 8.0, keeps the state of its
/// sessions as SQL Server documents it, and executes a small part of Transact-SQL on tables in memory.
/// </summary>
/// <remarks>
/// <para>
/// It is for what depends on the protocol and on sessions: logins, requests, resets, cancellations, transactions, faults. A
/// statement that it does not know fails with an error that names it. All databases have the same tables.
/// </para>
/// <para>Thread safe. Disposal releases the port, ends every session, and waits until nothing of the server runs.</para>
/// </remarks>
// How it works
//   a loop accepts while the server listens; each connection has a task (TdsConnection), and after its login a state (SqlSession)
//   _reservation has the port from beginning to end and never listens: while the server is stopped, the system assigns the port
//   to no other process
// Locks
//   _gate guards the listener and the set of connections; connections are ended outside of it
internal sealed class TdsServer : IAsyncDisposable
{
    public const string User = "sa";
    public const string Password = "Poolhouse-1";
    public const string Database = "shop";

    private const int FirstSessionId = 51;

    private readonly Lock _gate = new();
    private readonly HashSet<TdsConnection> _connections = [];
    private readonly HashSet<Task> _running = [];
    private readonly Socket _reservation;
    private Socket? _listener;
    private bool _isDisposed;
    private int _lastSessionId = FirstSessionId - 1;
    private long _transactions;
    private long _requests;
    private long _resets;
    private long _logins;
    private long _attentions;

    private TdsServer()
    {
        _reservation = BindTo(0);
        Port = ((IPEndPoint)_reservation.LocalEndPoint!).Port;
    }

    /// <summary>The port; the same after a restart.</summary>
    public int Port { get; }

    /// <summary>For SqlClient, whose pool is used unless <c>;Pooling=false</c> is appended.</summary>
    public string ConnectionString =>
        $"Server=127.0.0.1,{Port};User ID={User};Password={Password};Database={Database};Encrypt=False";

    /// <summary>The databases that a client can use.</summary>
    public IReadOnlySet<string> Databases { get; } =
        new HashSet<string>([Database, "warehouse", "master", "tempdb"], StringComparer.OrdinalIgnoreCase);

    /// <summary>The clock of delays.</summary>
    public TimeProvider Time { get; } = TimeProvider.System;

    /// <summary>How long each message of a client is delayed, those of the login included; none at first.</summary>
    public TimeSpan Delay { get; set; }

    /// <summary>Whether clients may recover a broken connection by themselves, as with SQL Server; true at first.</summary>
    public bool AllowsRecovery { get; set; } = true;

    /// <summary>The certificate with which connections are encrypted; null, and no encryption, at first.</summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>Whether encrypted connections begin with TLS, as in TDS 8.0, instead of PRELOGIN.</summary>
    public bool IsStrict { get; set; }

    /// <summary>Called for each login: the error to refuse it with, or null to check its database and password.</summary>
    public Func<TdsLogin, TdsError?>? RefuseLogin { get; set; }

    /// <summary>Called for each request, after its reset: the error to fail it with, or null to execute it.</summary>
    public Func<TdsRequest, TdsError?>? FailRequest { get; set; }

    /// <summary>The requests so far: batches, calls of procedures, begins and ends of transactions.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    /// <summary>The requests so far that carried the flag for a reset.</summary>
    public long Resets => Interlocked.Read(ref _resets);

    /// <summary>The sessions that were opened so far.</summary>
    public long Logins => Interlocked.Read(ref _logins);

    /// <summary>The cancellations that clients requested so far.</summary>
    public long Attentions => Interlocked.Read(ref _attentions);

    /// <summary>The open sessions, oldest first: a snapshot.</summary>
    public IReadOnlyList<SqlSession> Sessions
    {
        get
        {
            lock (_gate)
            {
                return [.. _connections.Select(each => each.Session).OfType<SqlSession>().OrderBy(session => session.Id)];
            }
        }
    }

    internal TableStore Store { get; } = new();

    /// <summary>Starts a server without tables.</summary>
    public static TdsServer Start()
    {
        var server = new TdsServer();
        server.StartAgain();
        return server;
    }

    /// <summary>Ends a session as <c>KILL</c> does.</summary>
    /// <returns>False if there is none with this identifier.</returns>
    public bool Kill(int sessionId)
    {
        TdsConnection? killed;
        lock (_gate)
        {
            killed = _connections.FirstOrDefault(each => each.Session?.Id == sessionId);
        }

        killed?.Kill();
        return killed is not null;
    }

    /// <summary>Ends all sessions as <c>KILL</c> does.</summary>
    public void KillAll()
    {
        foreach (var session in Sessions)
        {
            Kill(session.Id);
        }
    }

    /// <summary>Ends every session and stops listening; tables stay. Has no effect if the server is stopped.</summary>
    public void Stop()
    {
        TdsConnection[] connections;
        lock (_gate)
        {
            _listener?.Dispose();
            _listener = null;
            connections = [.. _connections];
        }

        foreach (var connection in connections)
        {
            connection.Drop();
        }
    }

    /// <summary>Listens on the same port again. Has no effect if the server is listening.</summary>
    public void StartAgain()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_listener is null)
            {
                _listener = BindTo(Port);
                _listener.Listen(512);
                TrackLocked(AcceptAsync(_listener));
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task[] running;
        lock (_gate)
        {
            _isDisposed = true;
        }

        Stop();
        lock (_gate)
        {
            running = [.. _running];
        }

        await Task.WhenAll(running).ConfigureAwait(false);
        _reservation.Dispose();
        Store.Dispose();
    }

    internal TdsError? Refuse(TdsLogin login) => RefuseLogin?.Invoke(login) ?? (
        !Databases.Contains(login.DatabaseOrDefault)
            ? new TdsError(4060, $"Cannot open database '{login.Database}' requested by the login.", severity: 11)
            : login.AccessToken is null && !string.Equals(login.Password, Password, StringComparison.Ordinal)
                ? new TdsError(18456, $"Login failed for user '{login.User}'.", severity: 14) { State = 8 }
                : null);

    internal Task DelayAsync(CancellationToken cancellation) => Task.Delay(Delay, Time, cancellation);

    internal long NextTransaction() => Interlocked.Increment(ref _transactions);

    internal void CountLogin() => Interlocked.Increment(ref _logins);

    internal void CountAttention() => Interlocked.Increment(ref _attentions);

    internal void CountRequest(bool resets)
    {
        Interlocked.Increment(ref _requests);
        Interlocked.Add(ref _resets, resets ? 1 : 0);
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

    private async Task AcceptAsync(Socket listener)
    {
        await Task.Yield();
        while (true)
        {
            Socket socket;
            try
            {
                socket = await listener.AcceptAsync().ConfigureAwait(false);
            }
            catch (Exception end) when (end is SocketException or ObjectDisposedException)
            {
                return;
            }

            socket.NoDelay = true;
            lock (_gate)
            {
                if (_listener != listener)
                {
                    socket.Dispose();
                    return;
                }

                var connection = new TdsConnection(this, socket, (short)++_lastSessionId);
                _connections.Add(connection);
#pragma warning disable CA2025 // The task disposes the connection.
                TrackLocked(ServeAsync(connection));
#pragma warning restore CA2025
            }
        }
    }

    private async Task ServeAsync(TdsConnection connection)
    {
        await Task.Yield();
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

            connection.Dispose();
        }
    }

    private void TrackLocked(Task task)
    {
        _running.RemoveWhere(each => each.IsCompletedSuccessfully);
        _running.Add(task);
    }
}
