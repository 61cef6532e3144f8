using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Poolhouse.Tool.Servers.Tds.Sql;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>A client's connection: its login, then its requests, one after the other.</summary>
// While a request is executed, the next message is read already, because it may be an attention, which cancels the request.
internal sealed class TdsConnection(TdsServer server, Socket socket, short id) : IDisposable
{
    private const byte SessionStateId = 9;

    private readonly TdsStream _stream = new(socket, id);
    private readonly TaskCompletionSource _killed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task<TdsMessage?> _next = Task.FromResult<TdsMessage?>(null);
    private bool _recovers;
    private bool _isReportedRecoverable = true;
    private bool _isEnding;
    private int _sessionStates;

    /// <summary>Null until the client has logged in.</summary>
    public SqlSession? Session { get; private set; }

    public async Task RunAsync()
    {
        using var session = await LogInAsync().ConfigureAwait(false);
        if (session is null)
        {
            return;
        }

        _next = _stream.ReadAsync();
        while (!_isEnding && await _next.ConfigureAwait(false) is { } message)
        {
            _next = _stream.ReadAsync();
            if (message.Type == TdsMessage.Attention)
            {
                // It crossed the response.
                await AcknowledgeAsync(new TdsResponse()).ConfigureAwait(false);
            }
            else if (!message.IsIgnored)
            {
                await RespondAsync(session, message).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Ends the session: while a request is executed, with an error as its response.</summary>
    public void Kill()
    {
        _killed.TrySetResult();
        if (Session is not { IsBusy: true })
        {
            Drop();
        }
    }

    /// <summary>Ends the connection.</summary>
    public void Drop() => _stream.Dispose();

    public void Dispose() => _stream.Dispose();

    private async Task<SqlSession?> LogInAsync()
    {
        if (server.Certificate is { } strict && server.IsStrict)
        {
            await _stream.SecureAsync(strict).ConfigureAwait(false);
        }

        if (await _stream.ReadAsync().ConfigureAwait(false) is not { Type: TdsMessage.PreLogin } preLogin)
        {
            return null;
        }

        await server.DelayAsync(CancellationToken.None).ConfigureAwait(false);
        var certificate = server.IsStrict ? null : server.Certificate;
        await _stream.WriteAsync(TdsLogin.AnswerPreLogin(preLogin.Data, certificate is not null)).ConfigureAwait(false);
        if (certificate is not null)
        {
            await _stream.SecureLoginAsync(certificate).ConfigureAwait(false);
        }

        if (await _stream.ReadAsync().ConfigureAwait(false) is not { Type: TdsMessage.Login } message)
        {
            return null;
        }

        await server.DelayAsync(CancellationToken.None).ConfigureAwait(false);
        var login = TdsLogin.Read(message.Data) with { IsEncrypted = server.Certificate is not null };
        if (login.AsksForToken)
        {
            var question = new TdsResponse();
            question.AskForToken();
            await _stream.WriteAsync(question.ToArray()).ConfigureAwait(false);
            if (await _stream.ReadAsync().ConfigureAwait(false) is not { Type: TdsMessage.Token } answer)
            {
                return null;
            }

            login = login with { AccessToken = TdsLogin.ReadToken(answer.Data) };
        }

        var response = new TdsResponse();
        if (server.Refuse(login) is { } error)
        {
            response.Error(error);
            await _stream.WriteAsync(response.End()).ConfigureAwait(false);
            return null;
        }

        server.CountLogin();
        _recovers = login.AsksForRecovery && server.AllowsRecovery;
        var session = new SqlSession(server, id, login);
        response.LogIn(login, _recovers);
        _stream.PacketSize = login.PacketSize;
        Session = session;
        await _stream.WriteAsync(response.End()).ConfigureAwait(false);
        return session;
    }

    private async Task RespondAsync(SqlSession session, TdsMessage message)
    {
        server.CountRequest(message.Resets);
        using var attention = new CancellationTokenSource();
        var response = new TdsResponse();
        session.IsBusy = true;
        var execution = ExecuteAsync(session, message, response, attention.Token);
        var first = await Task.WhenAny(execution, _next, _killed.Task).ConfigureAwait(false);
        var isAttention = first == _next && (await _next.ConfigureAwait(false))?.Type == TdsMessage.Attention;
        if (isAttention || first == _killed.Task || (first == _next && await _next.ConfigureAwait(false) is null))
        {
            await attention.CancelAsync().ConfigureAwait(false);
        }

        await execution.ConfigureAwait(false);
        if (isAttention)
        {
            _next = _stream.ReadAsync();
        }

        if (_killed.Task.IsCompleted)
        {
            response.Error(new TdsError(596, "Cannot continue: the session is in the kill state.", severity: 21));
        }

        _isEnding = response.IsFatal;
        ReportState(session, response);
        session.IsBusy = false;
        await (isAttention ? AcknowledgeAsync(response) : _stream.WriteAsync(response.End())).ConfigureAwait(false);
    }

    private async Task ExecuteAsync(
        SqlSession session, TdsMessage message, TdsResponse response, CancellationToken cancellation)
    {
        try
        {
            await server.DelayAsync(cancellation).ConfigureAwait(false);
            if (message.Resets)
            {
                session.Reset(message.KeepsTransaction, response);
                _isReportedRecoverable = true;
            }

            var bytes = new TdsBytes(message.Data);
            bytes.SkipHeaders();
            switch (message.Type)
            {
                case TdsMessage.Batch:
                    var sql = bytes.Text((message.Data.Length - bytes.Position) / 2);
                    Announce(message, sql);
                    await new SqlBatch(session, response, [], cancellation).RunAsync(sql).ConfigureAwait(false);
                    break;
                case TdsMessage.Call:
                    await CallAsync(session, message, bytes, response, cancellation).ConfigureAwait(false);
                    break;
                case TdsMessage.Transaction:
                    await ChangeTransactionAsync(session, message, bytes, response, cancellation).ConfigureAwait(false);
                    break;
                default:
                    throw TdsError.Unknown($"messages of type {message.Type}");
            }
        }
        catch (TdsError error)
        {
            response.Error(error);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            session.EndCancelled(response);
        }

        session.Publish();
    }

    private void Announce(TdsMessage message, string text)
    {
        if (server.FailRequest?.Invoke(new TdsRequest(id, text, message.Resets)) is { } error)
        {
            throw error;
        }
    }

    private async Task CallAsync(
        SqlSession session, TdsMessage message, TdsBytes bytes, TdsResponse response, CancellationToken cancellation)
    {
        for (var hasMore = true; hasMore;)
        {
            var call = SqlCall.Read(bytes);
            hasMore = call.HasMore;
            Announce(message, call.Description);
            response.IsProcedure = true;
            var status = await call.RunAsync(session, response, cancellation).ConfigureAwait(false);
            response.ProcedureDone(status, hasMore);
        }
    }

    private async Task ChangeTransactionAsync(
        SqlSession session, TdsMessage message, TdsBytes bytes, TdsResponse response, CancellationToken cancellation)
    {
        var kind = bytes.UInt16();
        Announce(message, kind switch { 5 => "begin", 7 => "commit", 8 => "rollback", _ => "save" });
        switch (kind)
        {
            case 5:
                session.SetIsolationLevel(bytes.Byte());
                session.Begin(Name(bytes), response);
                break;
            case 7:
                Name(bytes);
                session.Commit(response);
                break;
            case 8:
                session.Rollback(Name(bytes), response);
                break;
            case 9:
                await session.SaveAsync(Name(bytes), cancellation).ConfigureAwait(false);
                break;
            default:
                throw TdsError.Unknown($"request {kind.ToString(CultureInfo.InvariantCulture)} to the transaction manager");
        }
    }

    private static string Name(TdsBytes bytes) => Encoding.Unicode.GetString(bytes.Take(bytes.Byte()));

    private Task AcknowledgeAsync(TdsResponse response)
    {
        server.CountAttention();
        response.AttentionDone();
        return _stream.WriteAsync(response.ToArray());
    }

    // A session can be recovered while it is as its login made it. SQL Server also recovers settings.
    private void ReportState(SqlSession session, TdsResponse response)
    {
        var isRecoverable = session.Leftovers.Count == 0;
        if (_recovers && isRecoverable != _isReportedRecoverable)
        {
            _isReportedRecoverable = isRecoverable;
            response.SessionState(++_sessionStates, isRecoverable, SessionStateId);
        }
    }
}
