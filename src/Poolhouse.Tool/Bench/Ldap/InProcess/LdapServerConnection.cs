using System.Buffers;
using System.Formats.Asn1;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Threading.Channels;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>A connection of a test server.</summary>
// How it works
//   RunAsync reads messages and queues the requests; ServeAsync does them in order and is the only one to write while it runs
//   abandon and unbind are done where they are read, so that they reach an operation that waits for its delay
//   a client that sends faster than it is served fills the queue, and then nothing more is read from it
// Ends
//   Drop closes the socket under both of them; a cancelled _ended alone lets RunAsync send a notice first
// Locks
//   _gate guards the operations under way, the counts and the timer
#pragma warning disable CA1001 // RunAsync disposes everything at its end but the source, since Drop may come at any time.
internal sealed class LdapServerConnection
#pragma warning restore CA1001
{
    private const int MaxQueued = 32;
    private const int FlushSize = 16 * 1024;
    private static readonly TimeSpan _goodbyeTime = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private readonly LdapTestServer _server;
    private readonly Socket _socket;
    private readonly LdapSession _session;
    private readonly CancellationTokenSource _ended = new();
    private readonly Dictionary<LdapMessage, CancellationTokenSource> _underWay = new(ReferenceEqualityComparer.Instance);
    private readonly Channel<LdapMessage> _queue = Channel.CreateBounded<LdapMessage>(
        new BoundedChannelOptions(MaxQueued) { SingleReader = true, SingleWriter = true });

    private Stream _stream;
    private LdapFrameReader _frames;
    private ITimer? _idleTimer;
    private LdapResult? _notice;
    private long _operations;
    private LdapTestOperationKind? _lastOperation;
    private bool _isBroken;
    private bool _isDone;

    public LdapServerConnection(LdapTestServer server, Socket socket, long id)
    {
        socket.NoDelay = true;
        _server = server;
        _socket = socket;
        _session = new LdapSession(server);
        _stream = new NetworkStream(socket, ownsSocket: false);
        _frames = new LdapFrameReader(_stream, server.Options.MaxMessageSize);
        Id = id;
    }

    public long Id { get; }

    public LdapTestConnection Snapshot()
    {
        lock (_gate)
        {
            return new LdapTestConnection(Id, _session.BoundDn, _operations, _lastOperation, _stream is SslStream);
        }
    }

    /// <summary>Serves until one side ends the connection.</summary>
    public async Task RunAsync()
    {
        try
        {
            if (_server.Options.UseLdaps)
            {
                await EncryptAsync().ConfigureAwait(false);
            }

            RestartIdleTimer();
            var serving = ServeAsync();
            await ReadAsync().ConfigureAwait(false);
            await _ended.CancelAsync().ConfigureAwait(false);
            await serving.ConfigureAwait(false);
            await SayGoodbyeAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (IsDisconnect(e))
        {
            // TLS was not established.
        }
        finally
        {
            Drop();
            await _stream.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Ends the connection at once, without a notice.</summary>
    public void Drop()
    {
        lock (_gate)
        {
            _isDone = true;
            _idleTimer?.Dispose();
            _idleTimer = null;
        }

        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It has already ended.
        }

        _socket.Dispose();
        _ended.Cancel();
    }

    /// <summary>Starts the idle time.</summary>
    public void RestartIdleTimer()
    {
        lock (_gate)
        {
            // Under the gate: a timeout that is set meanwhile must not be overwritten with the one before.
            var timeout = _server.Faults.IdleTimeout;
            if (!_isDone && (_idleTimer is not null || timeout != Timeout.InfiniteTimeSpan))
            {
                _idleTimer ??= _server.Options.TimeProvider.CreateTimer(
                    static connection => ((LdapServerConnection)connection!).OnIdle(),
                    this,
                    Timeout.InfiniteTimeSpan,
                    Timeout.InfiniteTimeSpan);
                _idleTimer.Change(timeout, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private static bool IsDisconnect(Exception e) => e is IOException or SocketException or ObjectDisposedException
        or OperationCanceledException or AuthenticationException;

    private void OnIdle()
    {
        lock (_gate)
        {
            // An operation is under way: its end starts the timer again.
            if (_underWay.Count > 0 || _isDone)
            {
                return;
            }

            _notice = _server.Faults.IdleNotice
                ? new(LdapTestResultCode.Unavailable, "the connection was idle for too long")
                : null;
        }

        _ended.Cancel();
    }

    // Ends with the notice for the client, if any, in _notice.
    private async Task ReadAsync()
    {
        try
        {
            while (await _frames.ReadAsync(_ended.Token).ConfigureAwait(false) is { } frame)
            {
                var message = LdapRequestReader.Read(frame, _server.Options.MaxFilterDepth);
                if (!await TakeAsync(message).ConfigureAwait(false))
                {
                    return;
                }
            }
        }
        catch (AsnContentException e)
        {
            // RFC 4511, section 4.1.1: invalid data ends the session.
            _notice = new(LdapTestResultCode.ProtocolError, e.Message);
        }
        catch (Exception e) when (IsDisconnect(e))
        {
            // The client is gone, or the connection was ended by the test.
        }
    }

    /// <summary>Whether the connection continues.</summary>
    private async ValueTask<bool> TakeAsync(LdapMessage message)
    {
        switch (message.Request)
        {
            case LdapRequest.Unbind:
                Log(message);
                return false;

            case LdapRequest.Abandon abandon:
                Log(message);
                Abandon(abandon.MessageId);
                return true;

            case LdapRequest.Extended { Oid: LdapRequest.Extended.StartTls } when _server.Options.ServerCertificate is not null:
                return await StartTlsAsync(message).ConfigureAwait(false);

            default:
                lock (_gate)
                {
                    _underWay.Add(message, CancellationTokenSource.CreateLinkedTokenSource(_ended.Token));
                }

                await _queue.Writer.WriteAsync(message, _ended.Token).ConfigureAwait(false);
                return true;
        }
    }

    private void Abandon(int messageId)
    {
        lock (_gate)
        {
            foreach (var (message, abandoned) in _underWay)
            {
                // A bind cannot be abandoned (RFC 4511, section 4.11).
                if (message.Id == messageId && message.Request is not LdapRequest.Bind)
                {
                    // Not here: continuations must not run under the gate.
                    _ = abandoned.CancelAsync();
                }
            }
        }
    }

    private LdapTestOperation Log(LdapMessage message)
    {
        lock (_gate)
        {
            _operations++;
            _lastOperation = message.Request.Kind;
        }

        return _server.Log(Id, message.Request, _session.BoundDn);
    }

    private async Task ServeAsync()
    {
        try
        {
            while (await _queue.Reader.ReadAsync(_ended.Token).ConfigureAwait(false) is { } message)
            {
                await ServeAsync(message).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (IsDisconnect(e))
        {
            // The client is gone, or the connection was ended by the test.
        }
        finally
        {
            // In any case, no client should wait for an answer.
            await _ended.CancelAsync().ConfigureAwait(false);
        }
    }

    private async Task ServeAsync(LdapMessage message)
    {
        CancellationTokenSource abandoned;
        lock (_gate)
        {
            abandoned = _underWay[message];
        }

        try
        {
            if (!abandoned.IsCancellationRequested)
            {
                await AnswerAsync(message, abandoned.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (abandoned.IsCancellationRequested && !_ended.IsCancellationRequested)
        {
            // No client waits for the answer.
        }
        finally
        {
            lock (_gate)
            {
                _underWay.Remove(message);
            }

            abandoned.Dispose();
            RestartIdleTimer();
        }
    }

    private async Task AnswerAsync(LdapMessage message, CancellationToken abandoned)
    {
        await _server.Faults.DelayAsync(message.Request.Kind, _server.Options.TimeProvider, abandoned).ConfigureAwait(false);
        if (_server.Faults.TakeDrop())
        {
            Drop();
            return;
        }

        var output = new ArrayBufferWriter<byte>();
        foreach (var piece in _session.Execute(message, Log(message)))
        {
            output.Write(piece);
            if (output.WrittenCount >= FlushSize)
            {
                await WriteAsync(output.WrittenMemory).ConfigureAwait(false);
                output.ResetWrittenCount();
                abandoned.ThrowIfCancellationRequested();
            }
        }

        await WriteAsync(output.WrittenMemory).ConfigureAwait(false);
    }

    // Abandoning an operation does not interrupt it in the middle of a message; the end of the connection does.
    private async ValueTask WriteAsync(ReadOnlyMemory<byte> output)
    {
        _isBroken = true;
        await _stream.WriteAsync(output, _ended.Token).ConfigureAwait(false);
        _isBroken = false;
    }

    private async ValueTask<bool> StartTlsAsync(LdapMessage message)
    {
        var operation = Log(message);
        await _server.Faults.DelayAsync(
            LdapTestOperationKind.Extended, _server.Options.TimeProvider, _ended.Token).ConfigureAwait(false);
        bool isBusy;
        lock (_gate)
        {
            isBusy = _underWay.Count > 0;
        }

        var result = isBusy || _stream is SslStream || _frames.HasData
            ? new LdapResult(LdapTestResultCode.OperationsError, "TLS begins once, and between operations")
            : LdapResult.Success;
        operation.Result = result.Code;
        if (!isBusy)
        {
            await WriteAsync(
                LdapResponseWriter.Extended(message.Id, result, LdapRequest.Extended.StartTls)).ConfigureAwait(false);
        }

        if (result.Code != LdapTestResultCode.Success)
        {
            return !isBusy && _stream is SslStream;
        }

        await EncryptAsync().ConfigureAwait(false);
        RestartIdleTimer();
        return true;
    }

    private async Task EncryptAsync()
    {
        var encrypted = new SslStream(_stream);
        await encrypted.AuthenticateAsServerAsync(
            new SslServerAuthenticationOptions { ServerCertificate = _server.Options.ServerCertificate },
            _ended.Token).ConfigureAwait(false);
        lock (_gate)
        {
            _stream = encrypted;
        }

        _frames = new LdapFrameReader(encrypted, _server.Options.MaxMessageSize);
    }

    private async ValueTask SayGoodbyeAsync()
    {
        // Not after half a message.
        if (_notice is { } notice && !_isBroken)
        {
            using var late = new CancellationTokenSource(_goodbyeTime, TimeProvider.System);
            await _stream.WriteAsync(LdapResponseWriter.Notice(notice), late.Token).ConfigureAwait(false);
        }
    }
}
