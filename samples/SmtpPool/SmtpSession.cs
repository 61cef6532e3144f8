using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Poolhouse.Samples.SmtpPool;

/// <summary>A session with a mail server (RFC 5321): a command, an answer, one at a time.</summary>
internal sealed class SmtpSession : IDisposable
{
    private readonly TcpClient _client;
    private readonly StreamReader _reader;

    private SmtpSession(TcpClient client)
    {
        _client = client;
        _reader = new StreamReader(client.GetStream());
    }

    /// <summary>Whether every command got its reply. Otherwise the next reply may belong to an earlier command.</summary>
    public bool IsInStep { get; private set; } = true;

    public static async ValueTask<SmtpSession> OpenAsync(IPEndPoint server, CancellationToken cancellationToken)
    {
        var client = new TcpClient();
        try
        {
            await client.ConnectAsync(server, cancellationToken);
            var session = new SmtpSession(client);
            await session.ExpectAsync(220, cancellationToken);
            await session.SayAsync("EHLO localhost", 250, cancellationToken);
            return session;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    public async ValueTask SendAsync(Mail mail, CancellationToken cancellationToken)
    {
        await SayAsync($"MAIL FROM:<{mail.From}>", 250, cancellationToken);
        await SayAsync($"RCPT TO:<{mail.To}>", 250, cancellationToken);
        await SayAsync("DATA", 354, cancellationToken);

        // A line that begins with a dot gets another one, because a dot alone ends the mail.
        var lines = mail.Text.Split('\n').Select(line => line.StartsWith('.') ? "." + line : line);
        await SayAsync($"Subject: {mail.Subject}\r\n\r\n{string.Join("\r\n", lines)}\r\n.", 250, cancellationToken);
    }

    /// <summary>Says a command and reads its answer, which must have the code.</summary>
    public async ValueTask SayAsync(string command, int expected, CancellationToken cancellationToken)
    {
        IsInStep = false;
        await _client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(command + "\r\n"), cancellationToken);
        await ExpectAsync(expected, cancellationToken);
    }

    public void Dispose()
    {
        _reader.Dispose();
        _client.Dispose();
    }

    private async ValueTask ExpectAsync(int expected, CancellationToken cancellationToken)
    {
        string answer;
        do
        {
            answer = await _reader.ReadLineAsync(cancellationToken) ?? throw new IOException("The mail server hung up.");
        }
        while (answer.Length > 3 && answer[3] == '-');

        IsInStep = true;
        if (!answer.StartsWith($"{expected}", StringComparison.Ordinal))
        {
            throw new SmtpRefusedException(answer);
        }
    }
}
