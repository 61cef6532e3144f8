using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>A proxy that counts the requests of its clients: pieces of data that follow an answer of the server.</summary>
internal sealed class RoundTripCounter : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _ended = new();
    private readonly int _target;
    private long _requests;
    private int _connections;

    public RoundTripCounter(int target)
    {
        _target = target;
        _listener.Start();
        _ = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public long Requests => Interlocked.Read(ref _requests);

    public int Connections => Volatile.Read(ref _connections);

    public async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync();
        _listener.Dispose();
        _ended.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync(_ended.Token);
                Interlocked.Increment(ref _connections);
                _ = ForwardAsync(client);
            }
        }
        catch (Exception end) when (end is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            // Disposed.
        }
    }

    private async Task ForwardAsync(TcpClient client)
    {
        using var server = new TcpClient();
        using (client)
        {
            await server.ConnectAsync(IPAddress.Loopback, _target, _ended.Token);
            (client.NoDelay, server.NoDelay) = (true, true);
            var answered = new bool[] { true };
            await Task.WhenAny(
                PumpAsync(client, server, () =>
                {
                    if (Volatile.Read(ref answered[0]))
                    {
                        Volatile.Write(ref answered[0], value: false);
                        Interlocked.Increment(ref _requests);
                    }
                }),
                PumpAsync(server, client, () => Volatile.Write(ref answered[0], value: true)));
        }
    }

    private async Task PumpAsync(TcpClient from, TcpClient to, Action onPiece)
    {
        var buffer = new byte[16_384];
        try
        {
            int read;
            while ((read = await from.GetStream().ReadAsync(buffer, _ended.Token)) > 0)
            {
                onPiece();
                await to.GetStream().WriteAsync(buffer.AsMemory(0, read), _ended.Token);
            }
        }
        catch (Exception end) when (end is OperationCanceledException or IOException or ObjectDisposedException)
        {
            // One side has ended.
        }
    }
}
