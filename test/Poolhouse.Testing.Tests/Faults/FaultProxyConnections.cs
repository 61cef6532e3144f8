using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Testing.Tests.Faults;

public sealed class FaultProxyConnections : IAsyncDisposable
{
    private readonly EchoServer _server = new();
    private readonly FaultProxy _proxy;

    public FaultProxyConnections() => _proxy = FaultProxy.Start("localhost", _server.Port);

    public async ValueTask DisposeAsync()
    {
        await _proxy.DisposeAsync();
        _server.Dispose();
    }

    [Fact]
    public async Task Without_toxics_everything_passes_unchanged()
    {
        var text = string.Concat(Enumerable.Range(0, 100_000).Select(number => $"{number} "));
        using var client = await SocketPeer.ConnectAsync(_proxy);

        var sending = client.SendAsync(text);

        Assert.Equal(text, await client.ReceiveAsync(text.Length));
        await sending;

        // Bytes are counted after they have arrived.
        await Patience.UntilAsync(() => (_proxy.ToServer.PassedBytes, _proxy.ToClient.PassedBytes) == (text.Length, text.Length));
    }

    [Fact]
    public async Task Current_and_total_connections_are_counted()
    {
        using var first = await ConnectAndSpeakAsync();
        using (await ConnectAndSpeakAsync())
        {
            Assert.Equal((2, 2), (_proxy.Connections, _proxy.Accepted));
        }

        await Patience.UntilAsync(() => _proxy.Connections == 1);
        Assert.Equal(2, _proxy.Accepted);
    }

    [Fact]
    public async Task A_client_that_has_closed_is_noticed_by_a_server_that_only_sends()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        await using var proxy = FaultProxy.Start("127.0.0.1", ((IPEndPoint)listener.LocalEndPoint!).Port);
        using (await SocketPeer.ConnectAsync(proxy))
        {
            await Patience.UntilAsync(() => proxy.Accepted == 1);
        }

        using var server = await listener.AcceptAsync(TestContext.Current.CancellationToken);
        using var late = new CancellationTokenSource(Patience.Time);

        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            while (true)
            {
                await server.SendAsync(new byte[100], late.Token);
                await Task.Yield();
            }
        });
        await Patience.UntilAsync(() => proxy.Connections == 0);
    }

    [Fact]
    public async Task A_half_close_is_forwarded_while_the_other_direction_continues()
    {
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("last words");

        client.SendEnd();

        Assert.Equal(("last words", PeerEnd.Closed), await client.ReceiveToEndAsync());
        Assert.Equal(PeerEnd.Closed, await (await _server.OnlySessionAsync()).End);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Closing_all_and_resetting_all_reach_both_sides(bool reset)
    {
        using var client = await ConnectAndSpeakAsync();

        (reset ? (Action)_proxy.ResetAll : _proxy.CloseAll)();

        var end = reset ? PeerEnd.Reset : PeerEnd.Closed;
        Assert.Equal(0, _proxy.Connections);
        Assert.Equal(("", end), await client.ReceiveToEndAsync());
        Assert.Equal(end, await (await _server.OnlySessionAsync()).End);
    }

    [Fact]
    public async Task Data_passed_before_an_orderly_end_arrives_although_the_peer_still_sends()
    {
        var text = new string('x', 100_000);
        _proxy.ToClient.Add(new LimitToxic(bytes: 50_000, ConnectionEnd.Close));
        for (var round = 0; round < 20; round++)
        {
            using var client = await SocketPeer.ConnectAsync(_proxy);
            var sending = SendAllAsync();

            Assert.Equal((text[..50_000], PeerEnd.Closed), await client.ReceiveToEndAsync());
            await sending;

            async Task SendAllAsync()
            {
                for (var part = 0; part < 20; part++)
                {
                    await client.TrySendAsync(text);
                }
            }
        }
    }

    [Fact]
    public async Task Many_clients_connect_at_the_same_moment()
    {
        const int Clients = 200;
        _proxy.Mode = FaultProxyMode.Deaf;

        // They are not accepted meanwhile and all stay in the backlog.
        var clients = await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => SocketPeer.ConnectAsync(_proxy)))
            .WaitAsync(Patience.Time);

        _proxy.Mode = FaultProxyMode.Open;
        await Patience.UntilAsync(() => _proxy.Accepted == Clients);
        Array.ForEach(clients, static client => client.Dispose());
    }

    [Fact]
    public void A_proxy_that_cannot_listen_stays_down()
    {
        _proxy.Mode = FaultProxyMode.Down;
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        other.Bind(new IPEndPoint(IPAddress.Loopback, _proxy.Port));
        other.Listen(1);

        Assert.Throws<SocketException>(() => _proxy.Mode = FaultProxyMode.Open);

        Assert.Equal(FaultProxyMode.Down, _proxy.Mode);
        other.Dispose();
        _proxy.Mode = FaultProxyMode.Open;
        Assert.Equal(FaultProxyMode.Open, _proxy.Mode);
    }

    [Fact]
    public async Task A_half_close_towards_the_client_leaves_the_other_direction_open()
    {
        using var client = await ConnectAndSpeakAsync();
        var session = await _server.OnlySessionAsync();

        _proxy.ToClient.HalfCloseAll();

        Assert.Equal(("", PeerEnd.Closed), await client.ReceiveToEndAsync());
        await client.SendAsync("still here");
        await Patience.UntilAsync(() => session.Received.EndsWith("still here", StringComparison.Ordinal));
        Assert.Equal(1, _proxy.Connections);
    }

    [Fact]
    public async Task A_half_close_towards_the_server_ends_its_input()
    {
        using var client = await ConnectAndSpeakAsync();

        _proxy.ToServer.HalfCloseAll();

        Assert.Equal(PeerEnd.Closed, await (await _server.OnlySessionAsync()).End);
    }

    [Fact]
    public async Task A_half_close_towards_a_server_that_is_still_being_connected_reaches_it()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(0);
        var address = (IPEndPoint)listener.LocalEndPoint!;

        // It fills the backlog: the system connects no other client until the server has accepted it.
        using var first = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await first.ConnectAsync(address, TestContext.Current.CancellationToken);
        await using var proxy = FaultProxy.Start("127.0.0.1", address.Port);
        using var client = await SocketPeer.ConnectAsync(proxy);
        await Patience.UntilAsync(() => proxy.Connections == 1);

        proxy.ToServer.HalfCloseAll();

        using var filler = await listener.AcceptAsync(TestContext.Current.CancellationToken);
        using var server = new SocketPeer(await listener.AcceptAsync().WaitAsync(Patience.Time));
        Assert.Equal(("", PeerEnd.Closed), await server.ReceiveToEndAsync());
        await server.SendAsync("still here");
        Assert.Equal("still here", await client.ReceiveAsync(10));
    }

    [Fact]
    public async Task A_proxy_that_is_down_refuses_connections_and_recovers_on_its_port()
    {
        using var before = await ConnectAndSpeakAsync();
        var port = _proxy.Port;

        _proxy.Mode = FaultProxyMode.Down;
        var refusal = await Assert.ThrowsAsync<SocketException>(() => SocketPeer.ConnectAsync(_proxy));
        Assert.Equal(SocketError.ConnectionRefused, refusal.SocketErrorCode);
        await SpeakAsync(before);

        _proxy.Mode = FaultProxyMode.Open;
        Assert.Equal(port, _proxy.Port);
        using var after = await ConnectAndSpeakAsync();
        Assert.Equal(2, _proxy.Accepted);
    }

    [Fact]
    public async Task A_deaf_proxy_accepts_connections_and_serves_them_once_opened()
    {
        _proxy.Mode = FaultProxyMode.Deaf;
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("hello?");
        Assert.Equal((0, 0), (_proxy.Connections, _proxy.Accepted));

        _proxy.Mode = FaultProxyMode.Open;

        Assert.Equal("hello?", await client.ReceiveAsync(6));
        Assert.Equal(1, _proxy.Accepted);
    }

    [Fact]
    public async Task Connections_waiting_at_a_deaf_proxy_that_goes_down_are_reset()
    {
        _proxy.Mode = FaultProxyMode.Deaf;
        using var client = await SocketPeer.ConnectAsync(_proxy);

        _proxy.Mode = FaultProxyMode.Down;

        Assert.Equal(("", PeerEnd.Reset), await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task A_client_is_reset_when_the_server_is_unavailable()
    {
        // A proxy that is down keeps its port, so that the server of another test cannot use it.
        await using var absent = FaultProxy.Start("localhost", _server.Port);
        absent.Mode = FaultProxyMode.Down;
        await using var proxy = FaultProxy.Start("localhost", absent.Port);

        Assert.Equal(PeerEnd.Reset, await EndOfNewConnectionAsync(proxy));
        await Patience.UntilAsync(() => proxy.Accepted == 1 && proxy.Connections == 0);
    }

    [Fact]
    public async Task A_reset_by_the_client_reaches_the_server()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(_proxy.Host, _proxy.Port);
        var client = new SocketPeer(socket);
        await SpeakAsync(client);

        socket.LingerState = new LingerOption(enable: true, seconds: 0);
        socket.Close();

        Assert.Equal(PeerEnd.Reset, await (await _server.OnlySessionAsync()).End);
    }

    [Fact]
    public async Task Healing_removes_toxics_and_opens()
    {
        _proxy.ToServer.Add(new BlackHoleToxic());
        _proxy.ToClient.Add(new HoldToxic());
        _proxy.Mode = FaultProxyMode.Down;

        _proxy.Heal();

        Assert.Empty(_proxy.ToServer.Toxics);
        Assert.Empty(_proxy.ToClient.Toxics);
        using var client = await ConnectAndSpeakAsync();
    }

    [Fact]
    public async Task Disposal_closes_open_connections_and_releases_the_port()
    {
        using var client = await ConnectAndSpeakAsync();

        await _proxy.DisposeAsync();
        await _proxy.DisposeAsync();

        Assert.Equal(("", PeerEnd.Closed), await client.ReceiveToEndAsync());
        Assert.Throws<ObjectDisposedException>(() => _proxy.Mode = FaultProxyMode.Open);

        // The system may give a port that is free to somebody else, but not each of several.
        Assert.Contains(Enumerable.Range(0, 5), _ => IsReleasedAtTheEnd());

        static bool IsReleasedAtTheEnd()
        {
            using var proxy = FaultProxy.Start("localhost", 1);
            proxy.Dispose();
            using var next = new TcpListener(IPAddress.Loopback, proxy.Port);
            return Record.Exception(next.Start) is null;
        }
    }

    [Fact]
    public void Settings_out_of_range_are_rejected()
    {
        Assert.Throws<ArgumentException>(() => FaultProxy.Start("", 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => FaultProxy.Start("localhost", 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => FaultProxy.Start("localhost", 65536));
        Assert.Throws<ArgumentOutOfRangeException>(() => _proxy.Mode = (FaultProxyMode)3);
        Assert.Throws<ArgumentNullException>(() => _proxy.ToServer.Add<Toxic>(null!));
    }

    // Accepted by the system and then reset: the client is notified while it connects or when it reads.
    private static async Task<PeerEnd> EndOfNewConnectionAsync(FaultProxy proxy)
    {
        try
        {
            using var client = await SocketPeer.ConnectAsync(proxy);
            return (await client.ReceiveToEndAsync()).End;
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            return PeerEnd.Reset;
        }
    }

    private async Task<SocketPeer> ConnectAndSpeakAsync()
    {
        var client = await SocketPeer.ConnectAsync(_proxy);
        await SpeakAsync(client);
        return client;
    }

    private static async Task SpeakAsync(SocketPeer client)
    {
        await client.SendAsync("ping");
        Assert.Equal("ping", await client.ReceiveAsync(4));
    }
}
