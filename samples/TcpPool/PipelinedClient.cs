using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Poolhouse.Samples.TcpPool;

/// <summary>
/// A connection that many use at once: requests go out one after the other, and the answers come in that order.
/// </summary>
internal sealed class PipelinedClient : IDisposable
{
    private readonly TcpClient _client;
    private readonly StreamReader _reader;
    private readonly SemaphoreSlim _writing = new(1);
    private readonly ConcurrentQueue<TaskCompletionSource<string>> _asked = new();

    private PipelinedClient(TcpClient client)
    {
        _client = client;
        _reader = new StreamReader(client.GetStream());
        _ = ReadAsync();
    }

    /// <summary>Whether the connection has ended.</summary>
    public bool IsClosed { get; private set; }

    public static async ValueTask<PipelinedClient> ConnectAsync(IPEndPoint server, CancellationToken cancellationToken)
    {
        var client = new TcpClient();
        try
        {
            await client.ConnectAsync(server, cancellationToken);
            return new PipelinedClient(client);
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    public async Task<string> AskAsync(string line)
    {
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await _writing.WaitAsync();
        try
        {
            _asked.Enqueue(answer);
            await _client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(line + "\n"));
        }
        finally
        {
            _writing.Release();
        }

        return await answer.Task;
    }

    public void Dispose()
    {
        _client.Dispose();
        _reader.Dispose();
        _writing.Dispose();
    }

    private async Task ReadAsync()
    {
        try
        {
            while (await _reader.ReadLineAsync() is { } line)
            {
                if (_asked.TryDequeue(out var answer))
                {
                    answer.SetResult(line);
                }
            }
        }
        catch (Exception gone) when (gone is IOException or ObjectDisposedException)
        {
            // As at the end of the stream.
        }

        IsClosed = true;
        while (_asked.TryDequeue(out var left))
        {
            left.SetException(new IOException("The server hung up."));
        }
    }
}
