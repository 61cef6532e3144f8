using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Stress;

/// <summary>A client that multiplexes: many requests at once on one connection, each answered by its number.</summary>
internal sealed class EchoClient : IDisposable
{
    public const int FrameSize = 16;

    private readonly TcpClient _connection = new() { NoDelay = true };
    private readonly SemaphoreSlim _writing = new(1);
    private readonly ConcurrentDictionary<long, TaskCompletionSource<long>> _open = new();
    private long _last;
    private int _isDisposed;

    /// <summary>Whether the connection has ended.</summary>
    public bool IsBroken { get; private set; }

    public static async Task<EchoClient> ConnectAsync(int port, CancellationToken cancellationToken)
    {
        var client = new EchoClient();
        try
        {
            await client._connection.ConnectAsync(IPAddress.Loopback, port, cancellationToken);
            _ = client.ReadAsync();
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    /// <summary>Sends a number and returns the number of the reply.</summary>
    public async Task<long> EchoAsync(long value)
    {
        if (Volatile.Read(ref _isDisposed) != 0)
        {
            throw new InvalidOperationException("A client was used after it had been destroyed.");
        }

        var id = Interlocked.Increment(ref _last);
        var answer = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        _open[id] = answer;
        var frame = new byte[FrameSize];
        BinaryPrimitives.WriteInt64LittleEndian(frame, id);
        BinaryPrimitives.WriteInt64LittleEndian(frame.AsSpan(8), value);
        await _writing.WaitAsync();
        try
        {
            await _connection.GetStream().WriteAsync(frame);
        }
        catch (Exception end) when (end is IOException or ObjectDisposedException or InvalidOperationException)
        {
            throw Fail(end);
        }
        finally
        {
            _writing.Release();
        }

        if (IsBroken)
        {
            // The reader may have ended before this request was in its list.
            answer.TrySetException(new IOException("The connection has ended."));
        }

        var echo = await answer.Task;
        return echo;
    }

    public void Dispose()
    {
        Volatile.Write(ref _isDisposed, 1);
        IsBroken = true;
        _connection.Dispose();
    }

    private async Task ReadAsync()
    {
        var frame = new byte[FrameSize];
        try
        {
            while (true)
            {
                await _connection.GetStream().ReadExactlyAsync(frame);
                if (_open.TryRemove(BinaryPrimitives.ReadInt64LittleEndian(frame), out var answer))
                {
                    answer.TrySetResult(BinaryPrimitives.ReadInt64LittleEndian(frame.AsSpan(8)));
                }
            }
        }
        catch (Exception end) when (end is IOException or ObjectDisposedException or InvalidOperationException)
        {
            Fail(end);
        }
    }

    private IOException Fail(Exception end)
    {
        IsBroken = true;
        var failure = new IOException("The connection has ended.", end);
        foreach (var answer in _open.Values)
        {
            answer.TrySetException(failure);
        }

        return failure;
    }
}
