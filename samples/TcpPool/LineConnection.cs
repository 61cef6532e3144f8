using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Poolhouse.Samples.TcpPool;

/// <summary>A TCP connection on which each line gets one line in answer.</summary>
internal sealed class LineConnection : IDisposable
{
    private readonly TcpClient _client;
    private readonly StreamReader _reader;

    private LineConnection(TcpClient client)
    {
        _client = client;
        _reader = new StreamReader(client.GetStream());
    }

    /// <summary>Whether the other side was seen to be gone.</summary>
    public bool IsClosed { get; private set; }

    public static async ValueTask<LineConnection> ConnectAsync(IPEndPoint server, CancellationToken cancellationToken)
    {
        var client = new TcpClient();
        try
        {
            await client.ConnectAsync(server, cancellationToken);
            return new LineConnection(client);
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    /// <summary>Whether the server has closed the idle connection or sent unexpected data.</summary>
    public bool HasHungUp() => _client.Client.Poll(TimeSpan.Zero, SelectMode.SelectRead);

    public async ValueTask<string?> AskAsync(string line, CancellationToken cancellationToken)
    {
        await _client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(line + "\n"), cancellationToken);
        var answer = await _reader.ReadLineAsync(cancellationToken);
        IsClosed = answer is null;
        return answer;
    }

    public void Dispose()
    {
        _reader.Dispose();
        _client.Dispose();
    }
}
