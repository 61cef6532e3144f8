namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>
/// The faults of an <see cref="LdapTestServer"/>. They can be set at any time and take effect at once, also for open connections.
/// Initially, there are none.
/// </summary>
/// <remarks>Thread safe. Delays are on the clock of the server's options.</remarks>
internal sealed class LdapTestFaults
{
    private readonly Lock _gate = new();
    private readonly LdapTestServer _server;
    private TaskCompletionSource? _answering;
    private LdapTestResultCode? _bindRefusal;
    private TimeSpan _bindDelay;
    private TimeSpan _responseDelay;
    private TimeSpan _idleTimeout = Timeout.InfiniteTimeSpan;
    private bool _idleNotice;
    private bool _refuseConnections;
    private long _operationsUntilDrop = -1;

    internal LdapTestFaults(LdapTestServer server) => _server = server;

    /// <summary>How long the server waits before it executes a bind.</summary>
    /// <value>Zero at first.</value>
    public TimeSpan BindDelay
    {
        get => Read(ref _bindDelay);
        set => Write(ref _bindDelay, value);
    }

    /// <summary>
    /// How long the server waits before it executes any other operation: the answer may arrive after its caller gave up.
    /// </summary>
    /// <value>Zero at first.</value>
    /// <remarks>An operation that its client abandons meanwhile is neither done nor answered.</remarks>
    public TimeSpan ResponseDelay
    {
        get => Read(ref _responseDelay);
        set => Write(ref _responseDelay, value);
    }

    /// <summary>After how long without an operation the server ends a connection.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> at first: never.</value>
    /// <remarks>
    /// The time runs from the end of the connection's last operation, at the latest from the moment when this is set.
    /// </remarks>
    public TimeSpan IdleTimeout
    {
        get => Read(ref _idleTimeout);
        set
        {
            Write(ref _idleTimeout, value);
            _server.RestartIdleTimers();
        }
    }

    /// <summary>
    /// Whether the server sends a notice before it ends an idle connection (Notice of Disconnection, RFC 4511, section 4.4.1).
    /// </summary>
    /// <value><c>false</c> at first: the connection ends without a notice, as with OpenLDAP.</value>
    public bool IdleNotice
    {
        get => Read(ref _idleNotice);
        set => Write(ref _idleNotice, value);
    }

    /// <summary>
    /// Whether the server is silent: it accepts connections and requests and answers none, like a stopped process or a
    /// host that died.
    /// </summary>
    /// <value><c>false</c> at first. When it becomes <c>false</c> again, waiting requests are executed and answered.</value>
    public bool HalfOpen
    {
        get
        {
            lock (_gate)
            {
                return _answering is not null;
            }
        }

        set
        {
            TaskCompletionSource? ended = null;
            lock (_gate)
            {
                if (value)
                {
                    _answering ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                }
                else
                {
                    (ended, _answering) = (_answering, null);
                }
            }

            ended?.SetResult();
        }
    }

    /// <summary>Whether the port is closed: new connections are refused, and existing ones continue.</summary>
    /// <value><c>false</c> at first.</value>
    /// <exception cref="ObjectDisposedException">The server is disposed.</exception>
    public bool RefuseConnections
    {
        get => Read(ref _refuseConnections);
        set
        {
            Write(ref _refuseConnections, value);
            _server.Listen();
        }
    }

    /// <summary>The result of every bind; null: the correct one.</summary>
    public LdapTestResultCode? BindRefusal
    {
        get
        {
            lock (_gate)
            {
                return _bindRefusal;
            }
        }
    }

    /// <summary>
    /// Answers every bind with an error from now on, whatever its password. The connection is anonymous afterwards.
    /// </summary>
    /// <param name="resultCode">The error.</param>
    public void RefuseBinds(LdapTestResultCode resultCode = LdapTestResultCode.Unavailable)
    {
        lock (_gate)
        {
            _bindRefusal = resultCode;
        }
    }

    /// <summary>Answers binds correctly again.</summary>
    public void AcceptBinds()
    {
        lock (_gate)
        {
            _bindRefusal = null;
        }
    }

    /// <summary>
    /// Accepts this number of further operations, counted over all connections; the connection that sends the next one is closed
    /// instead. Once.
    /// </summary>
    /// <param name="operations">0 or more; 0: the next operation loses its connection.</param>
    /// <remarks>Binds count. Abandon and unbind do not.</remarks>
    public void DropAfterOperations(int operations) => Interlocked.Exchange(ref _operationsUntilDrop, operations);

    /// <summary>Ends every fault. Connections that were lost stay lost.</summary>
    /// <exception cref="ObjectDisposedException">The server is disposed.</exception>
    public void Clear()
    {
        Interlocked.Exchange(ref _operationsUntilDrop, -1);
        AcceptBinds();
        BindDelay = TimeSpan.Zero;
        ResponseDelay = TimeSpan.Zero;
        IdleTimeout = Timeout.InfiniteTimeSpan;
        IdleNotice = false;
        HalfOpen = false;
        RefuseConnections = false;
    }

    /// <summary>Whether the connection that sends an operation is to be closed instead.</summary>
    internal bool TakeDrop()
    {
        // A compare-exchange, because connections count down at once and only one is to be the last.
        for (var left = Interlocked.Read(ref _operationsUntilDrop); left >= 0;)
        {
            var seen = Interlocked.CompareExchange(ref _operationsUntilDrop, left - 1, left);
            if (seen == left)
            {
                return left == 0;
            }

            left = seen;
        }

        return false;
    }

    /// <summary>Waits while the server is silent, or for its delay.</summary>
    /// <exception cref="OperationCanceledException">The operation was abandoned, or its connection ended.</exception>
    internal async ValueTask DelayAsync(LdapTestOperationKind kind, TimeProvider time, CancellationToken cancellationToken)
    {
        var delay = kind == LdapTestOperationKind.Bind ? BindDelay : ResponseDelay;
        if (delay > TimeSpan.Zero)
        {
            await Task.Delay(delay, time, cancellationToken).ConfigureAwait(false);
        }

        while (SilenceAsync() is { } silence)
        {
            await silence.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private Task? SilenceAsync()
    {
        lock (_gate)
        {
            return _answering?.Task;
        }
    }

    private T Read<T>(ref T field)
    {
        lock (_gate)
        {
            return field;
        }
    }

    private void Write<T>(ref T field, T value)
    {
        lock (_gate)
        {
            field = value;
        }
    }
}
