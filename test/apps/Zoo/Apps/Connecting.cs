using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Poolhouse;

namespace Zoo.Apps;

/// <summary>Requests to a server, with one client or a new one each time.</summary>
internal sealed class ApiClient(bool keepsClient) : App
{
    private static readonly byte[] _answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"u8.ToArray();

    private readonly Server _server = new(8080, _answer);
    private readonly HttpClient? _client = keepsClient ? new HttpClient() : null;

    public override int PerSecond => 40;

    public override int Connections => _server.Accepted;

    public override async ValueTask DoAsync()
    {
        if (_client is not null)
        {
            await _client.GetStringAsync(_server.Address);
            return;
        }

        using var client = new HttpClient();
        await client.GetStringAsync(_server.Address);
    }

    protected override ValueTask EndAsync()
    {
        _client?.Dispose();
        return _server.DisposeAsync();
    }
}

/// <summary>A client of a server with a known port, with one connection or a new one each time.</summary>
internal sealed class TcpClients(int port, bool keeps) : App
{
    private readonly Server _server = new(port, [1]);
    private TcpClient? _kept;

    public override int PerSecond => 30;

    public override int Connections => _server.Accepted;

    public override async ValueTask DoAsync()
    {
        var client = _kept ?? await _server.ConnectAsync();
        await Server.AskAsync(client);
        if (keeps)
        {
            _kept = client;
        }
        else
        {
            client.Dispose();
        }
    }

    protected override ValueTask EndAsync()
    {
        _kept?.Dispose();
        return _server.DisposeAsync();
    }
}

/// <summary>Many connections when it starts, which it keeps, and a cache that it fills then.</summary>
internal sealed class StartUp : App
{
    private readonly Server _server = new(5432, [1]);
    private readonly List<TcpClient> _clients = [];
    private int _times;

    public override int PerSecond => 20;

    public override int Connections => _server.Accepted;

    public override async ValueTask DoAsync()
    {
        // Half a second after it has started, when it is being sampled.
        if (++_times == 10)
        {
            for (var i = 0; i < 30; i++)
            {
                _clients.Add(await _server.ConnectAsync());
            }
        }

        foreach (var client in _clients.Take(2))
        {
            await Server.AskAsync(client);
        }
    }

    protected override ValueTask EndAsync()
    {
        foreach (var client in _clients)
        {
            client.Dispose();
        }

        return _server.DisposeAsync();
    }
}

internal sealed class PooledConnections : App
{
    private readonly Server _server = new(5432, [1]);
    private readonly ResourcePool<TcpClient> _pool;

    public PooledConnections() => _pool = ResourcePool.Create(
        async _ => await _server.ConnectAsync(), new ResourcePoolOptions { MaxSize = 4, Name = "connections" });

    public override int PerSecond => 100;

    public override int Connections => _server.Accepted;

    public override async ValueTask DoAsync()
    {
        using var lease = await _pool.RentAsync();
        await Server.AskAsync(lease.Value);
    }

    protected override async ValueTask EndAsync()
    {
        await _pool.DisposeAsync();
        await _server.DisposeAsync();
    }
}

/// <summary>A client in native code, which .NET does not see.</summary>
internal sealed partial class NativeClients(int port) : App
{
    private const int InterNetwork = 2;
    private const int Stream = 1;

    private readonly Server _server = new(port, [1], TimeSpan.FromMilliseconds(5));

    public override int PerSecond => 30;

    public override int Connections => _server.Accepted;

    public override ValueTask DoAsync()
    {
        var socket = CreateSocket(InterNetwork, Stream, 0);
        var address = new byte[16];
        address[0] = InterNetwork;
        (address[2], address[3]) = ((byte)(port >> 8), (byte)port);
        _server.Ip.GetAddressBytes().CopyTo(address, 4);
        if (Connect(socket, address, address.Length) == 0)
        {
            var buffer = new byte[1];
            _ = Write(socket, buffer, 1);
            _ = Read(socket, buffer, 1);
        }

        _ = Close(socket);
        return default;
    }

    protected override ValueTask EndAsync() => _server.DisposeAsync();

    [LibraryImport("libc", EntryPoint = "socket")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int CreateSocket(int domain, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "connect")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Connect(int socket, byte[] address, int length);

    [LibraryImport("libc", EntryPoint = "write")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Write(int socket, byte[] buffer, nint count);

    [LibraryImport("libc", EntryPoint = "read")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Read(int socket, byte[] buffer, nint count);

    [LibraryImport("libc", EntryPoint = "close")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Close(int socket);
}

/// <summary>A thread for each piece of work.</summary>
internal sealed class NewThreads : App
{
    public override int PerSecond => 50;

    public override ValueTask DoAsync()
    {
        var thread = new Thread(() => Use.Of("work"u8));
        thread.Start();
        thread.Join();
        return default;
    }
}

/// <summary>A server in this process that answers each read with the same bytes.</summary>
// Each process has an address of its own, so that the known ports are free.
internal sealed class Server : IAsyncDisposable
{
    private readonly TcpListener _listener;
    private readonly byte[] _answer;
    private readonly TimeSpan _work;
    private readonly int _port;
    private int _accepted;

    public Server(int port, byte[] answer, TimeSpan work = default)
    {
        var id = Environment.ProcessId;
        (_port, _answer, _work) = (port, answer, work);
        Ip = new IPAddress([127, 77, (byte)(id >> 8), (byte)Math.Clamp(id & 255, 1, 254)]);
        _listener = new TcpListener(Ip, port);
        _listener.Start();
        _ = AcceptAsync();
    }

    public IPAddress Ip { get; }

    public Uri Address => new($"http://{Ip}:{_port}/");

    public int Accepted => Volatile.Read(ref _accepted);

    public static async Task AskAsync(TcpClient client)
    {
        var buffer = new byte[1];
        await client.GetStream().WriteAsync(buffer);
        await client.GetStream().ReadExactlyAsync(buffer);
    }

    public async Task<TcpClient> ConnectAsync()
    {
        var client = new TcpClient();
        await client.ConnectAsync(Ip, _port);
        return client;
    }

    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return default;
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            var client = await _listener.AcceptTcpClientAsync();
            Interlocked.Increment(ref _accepted);
            _ = AnswerAsync(client);
        }
    }

    private async Task AnswerAsync(TcpClient client)
    {
        var buffer = new byte[4096];
        using (client)
        {
            try
            {
                while (await client.GetStream().ReadAsync(buffer) > 0)
                {
                    await Task.Delay(_work, TimeProvider.System);
                    await client.GetStream().WriteAsync(_answer);
                }
            }
            catch (IOException)
            {
                // The client is gone.
            }
        }
    }
}
