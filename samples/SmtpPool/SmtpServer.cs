using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Samples.SmtpPool;

/// <summary>A small mail server that keeps the messages it gets. It rejects recipients whose name begins with "nobody".</summary>
internal sealed class SmtpServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, port: 0);
    private readonly ConcurrentDictionary<string, int> _commands = new(StringComparer.Ordinal);
    private readonly ConcurrentBag<string> _mails = [];

    public SmtpServer()
    {
        _listener.Start();
        _ = AcceptAsync();
    }

    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndpoint;

    public IReadOnlyCollection<string> Mails => _mails;

    public int Count(string command) => _commands.GetValueOrDefault(command);

    public void Dispose() => _listener.Dispose();

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptTcpClientAsync());
            }
        }
        catch (Exception stopped) when (stopped is SocketException or ObjectDisposedException)
        {
            // The server was disposed.
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        using (client)
        {
            try
            {
                using var reader = new StreamReader(client.GetStream());
                await using var writer = new StreamWriter(client.GetStream()) { NewLine = "\r\n", AutoFlush = true };
                await TalkAsync(reader, writer);
            }
            catch (IOException)
            {
                // The client hung up.
            }
        }
    }

    private async Task TalkAsync(StreamReader reader, StreamWriter writer)
    {
        var hasRecipient = false;
        await writer.WriteLineAsync("220 localhost ready");
        while (await reader.ReadLineAsync() is { } line)
        {
            var command = line.Split(' ')[0];
            _commands.AddOrUpdate(command, 1, static (_, count) => count + 1);
            switch (command)
            {
                case "EHLO":
                    await writer.WriteLineAsync("250-localhost");
                    await writer.WriteLineAsync("250 8BITMIME");
                    break;
                case "RCPT" when line.Contains("<nobody", StringComparison.Ordinal):
                    await writer.WriteLineAsync("550 no such user");
                    break;
                case "RCPT":
                    hasRecipient = true;
                    await writer.WriteLineAsync("250 ok");
                    break;
                case "DATA" when hasRecipient:
                    await writer.WriteLineAsync("354 go ahead");
                    _mails.Add(await ReadMailAsync(reader));
                    await writer.WriteLineAsync("250 kept");
                    break;
                case "DATA":
                    await writer.WriteLineAsync("503 to whom?");
                    break;
                case "RSET":
                    hasRecipient = false;
                    await writer.WriteLineAsync("250 ok");
                    break;
                case "MAIL" or "NOOP":
                    await writer.WriteLineAsync("250 ok");
                    break;
                case "QUIT":
                    await writer.WriteLineAsync("221 bye");
                    return;
                default:
                    await writer.WriteLineAsync("500 what?");
                    break;
            }
        }
    }

    private static async Task<string> ReadMailAsync(StreamReader reader)
    {
        var lines = new List<string>();
        while (await reader.ReadLineAsync() is { } line and not ".")
        {
            lines.Add(line.StartsWith('.') ? line[1..] : line);
        }

        return string.Join('\n', lines);
    }
}
