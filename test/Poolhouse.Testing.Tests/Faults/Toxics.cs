namespace Poolhouse.Testing.Tests.Faults;

public sealed class Toxics : IAsyncDisposable
{
    private readonly EchoServer _server = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly FaultProxy _proxy;

    public Toxics() => _proxy = FaultProxy.Start("127.0.0.1", _server.Port, _clock);

    public async ValueTask DisposeAsync()
    {
        await _proxy.DisposeAsync();
        _server.Dispose();
    }

    [Fact]
    public async Task Latency_delays_what_is_sent_and_keeps_the_order()
    {
        _proxy.ToServer.Add(new LatencyToxic(TimeSpan.FromSeconds(3)));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        await UntilTimersAsync(1);
        _clock.Advance(TimeSpan.FromSeconds(2));
        await client.SendAsync("b");
        Assert.Equal(0, _proxy.ToServer.PassedBytes);

        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal("a", await client.ReceiveAsync(1));
        await UntilTimersAsync(1);
        _clock.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal("b", await client.ReceiveAsync(1));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Jitter_stays_within_its_bounds(int seed)
    {
        _proxy.ToServer.Add(new LatencyToxic(TimeSpan.FromSeconds(10), jitter: TimeSpan.FromSeconds(2), seed));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        await UntilTimersAsync(1);

        _clock.Advance(TimeSpan.FromSeconds(8));
        Assert.Equal(0, _proxy.ToServer.PassedBytes);
        _clock.Advance(TimeSpan.FromSeconds(4));

        Assert.Equal("a", await client.ReceiveAsync(1));
    }

    /// <summary>Whether the first piece is delayed by more or by less depends on the seed.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task The_longest_delay_may_have_a_jitter(int seed)
    {
        var clock = new CountingClock();
        await using var proxy = FaultProxy.Start("127.0.0.1", _server.Port, clock);
        var toxic = proxy.ToServer.Add(new LatencyToxic(TimeSpan.MaxValue, jitter: TimeSpan.FromSeconds(1), seed));
        using var client = await SocketPeer.ConnectAsync(proxy);
        await client.SendAsync("a");

        // The time of arrival, and how long ago that was.
        await Patience.UntilAsync(() => clock.Readings == 2);
        proxy.ToServer.Remove(toxic);

        Assert.Equal("a", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task Bandwidth_limits_the_bytes_per_second()
    {
        _proxy.ToClient.Add(new BandwidthToxic(bytesPerSecond: 1000));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync(new string('x', 100));

        var start = _clock.GetUtcNow();
        var received = "";
        while (received.Length < 100)
        {
            await UntilTimersAsync(1);
            Assert.Equal((_clock.GetUtcNow() - start).TotalSeconds * 1000, received.Length);
            _clock.Advance(TimeSpan.FromMilliseconds(20));
            received += await client.ReceiveAsync(20);
        }

        Assert.Equal(TimeSpan.FromMilliseconds(100), _clock.GetUtcNow() - start);
    }

    /// <summary>Pieces that take less than a timer's millisecond add up.</summary>
    [Theory]
    [InlineData(20_000_000, 200_000, 10)]
    [InlineData(50_000_000, 500_000, 10)]
    public async Task Bandwidth_limits_rates_whose_chunks_take_less_than_a_millisecond(
        int bytesPerSecond, int bytes, int milliseconds)
    {
        _proxy.ToServer.Add(new BandwidthToxic(bytesPerSecond));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        var sending = client.SendAsync(new string('x', bytes));

        // The echo is read, so that only the toxic delays the data; and all of it has arrived before the clock moves.
        var receiving = client.ReceiveAsync(bytes);
        await Patience.UntilAsync(() => _proxy.ToServer.ArrivedBytes == bytes);
        var steps = 0;
        while (_proxy.ToServer.PassedBytes < bytes)
        {
            await Patience.UntilAsync(() => _clock.ArmedTimers == 1 || _proxy.ToServer.PassedBytes == bytes);
            if (_clock.ArmedTimers == 1)
            {
                _clock.Advance(TimeSpan.FromMilliseconds(1));
                steps++;
            }
        }

        await sending;
        await receiving;
        Assert.Equal(milliseconds, steps);
    }

    [Fact]
    public async Task Bandwidth_limits_consecutive_small_messages()
    {
        _proxy.ToServer.Add(new BandwidthToxic(bytesPerSecond: 10_000));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        var start = _clock.GetUtcNow();

        // Each takes 0.4 ms.
        for (var message = 0; message < 50; message++)
        {
            await client.SendAsync("ping");
            var answer = client.ReceiveAsync(4);
            while (!answer.IsCompleted)
            {
                await Patience.UntilAsync(() => _clock.ArmedTimers == 1 || answer.IsCompleted);
                if (_clock.ArmedTimers == 1)
                {
                    _clock.Advance(TimeSpan.FromMilliseconds(1));
                }
            }
        }

        Assert.InRange(_clock.GetUtcNow() - start, TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(60));
    }

    [Fact]
    public async Task A_latency_below_a_millisecond_is_not_cut_off()
    {
        _proxy.ToServer.Add(new LatencyToxic(TimeSpan.FromMilliseconds(0.5)));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");

        await UntilTimersAsync(1);

        Assert.Equal(0, _proxy.ToServer.PassedBytes);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal("a", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task A_slicer_sends_in_parts_with_pauses()
    {
        _proxy.ToClient.Add(new SlicerToxic(size: 3, pause: TimeSpan.FromSeconds(1)));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("abcdefgh");

        foreach (var (part, passed) in (IEnumerable<(string, long)>)[("abc", 3), ("def", 6)])
        {
            Assert.Equal(part, await client.ReceiveAsync(3));
            await UntilTimersAsync(1);
            Assert.Equal(passed, _proxy.ToClient.PassedBytes);
            _clock.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal("gh", await client.ReceiveAsync(2));
    }

    [Theory]
    [InlineData(ConnectionEnd.Close)]
    [InlineData(ConnectionEnd.Reset)]
    public async Task A_limit_ends_each_connection_after_its_number_of_bytes(ConnectionEnd end)
    {
        _proxy.ToServer.Add(new LimitToxic(4, end));
        for (var connection = 1; connection <= 2; connection++)
        {
            using var client = await SocketPeer.ConnectAsync(_proxy);
            await client.SendAsync("ab");
            Assert.Equal("ab", await client.ReceiveAsync(2));

            await client.SendAsync("cdef");

            Assert.Equal(end == ConnectionEnd.Close ? PeerEnd.Closed : PeerEnd.Reset, (await client.ReceiveToEndAsync()).End);
            Assert.Equal(4 * connection, _proxy.ToServer.PassedBytes);
        }
    }

    [Fact]
    public async Task A_limit_counts_from_its_addition_and_may_end_in_silence()
    {
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("before");
        Assert.Equal("before", await client.ReceiveAsync(6));
        var limit = _proxy.ToClient.Add(new LimitToxic(4, ConnectionEnd.Silence));

        await client.SendAsync("abcdef");
        Assert.Equal("abcd", await client.ReceiveAsync(4));
        Assert.Equal(1, _proxy.Connections);

        Assert.True(_proxy.ToClient.Remove(limit));
        Assert.Equal("ef", await client.ReceiveAsync(2));
    }

    [Fact]
    public async Task A_limit_that_falls_on_the_end_of_a_piece_does_not_end_the_stream_when_it_is_removed()
    {
        var limit = _proxy.ToClient.Add(new LimitToxic(4, ConnectionEnd.Silence));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("abcd");
        Assert.Equal("abcd", await client.ReceiveAsync(4));

        Assert.True(_proxy.ToClient.Remove(limit));
        await client.SendAsync("ef");

        Assert.Equal("ef", await client.ReceiveAsync(2));
    }

    [Fact]
    public async Task A_limit_that_is_removed_while_a_later_toxic_holds_the_data_does_not_end_the_connection()
    {
        _proxy.ToServer.Add(new LimitToxic(4, ConnectionEnd.Reset));
        var hold = _proxy.ToServer.Add(new HoldToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("abcdef");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);

        _proxy.Heal();

        Assert.Equal("abcdef", await client.ReceiveAsync(6));
    }

    [Theory]
    [InlineData(ConnectionEnd.Close)]
    [InlineData(ConnectionEnd.Reset)]
    public async Task A_timeout_holds_back_the_answer_and_ends_the_connection_later(ConnectionEnd end)
    {
        _proxy.ToClient.Add(new TimeoutToxic(TimeSpan.FromSeconds(5), end));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("request");
        await UntilTimersAsync(1);
        Assert.Equal("request", (await _server.OnlySessionAsync()).Received);

        _clock.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(1, _proxy.Connections);
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(("", end == ConnectionEnd.Close ? PeerEnd.Closed : PeerEnd.Reset), await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task A_black_hole_discards_all_data_without_an_error()
    {
        var gate = _proxy.ToServer.Add(new HoldToxic());
        var hole = _proxy.ToServer.Add(new BlackHoleToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("lost");
        await gate.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        gate.Release();

        // The second is held only when the first has passed.
        await client.SendAsync("found");
        await gate.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        Assert.Equal(1, _proxy.Connections);
        _proxy.ToServer.Remove(hole);
        gate.Release();

        Assert.Equal("found", await client.ReceiveAsync(5));
        Assert.Equal("found", (await _server.OnlySessionAsync()).Received);
    }

    [Fact]
    public async Task A_black_hole_hides_a_closed_client_until_it_is_removed()
    {
        var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("ping");
        Assert.Equal("ping", await client.ReceiveAsync(4));
        var gate = _proxy.ToServer.Add(new HoldToxic());
        var hole = _proxy.ToServer.Add(new BlackHoleToxic());
        var session = await _server.OnlySessionAsync();

        client.Dispose();
        await gate.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        _proxy.ToServer.Remove(gate);
        Assert.False(session.End.IsCompleted);
        Assert.Equal(1, _proxy.Connections);

        _proxy.ToServer.Remove(hole);
        Assert.Equal(PeerEnd.Closed, await session.End);
    }

    [Fact]
    public async Task A_held_reply_arrives_late_and_complete()
    {
        var hold = _proxy.ToClient.Add(new HoldToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("first ");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        Assert.Equal(0, _proxy.ToClient.PassedBytes);

        hold.Release();
        Assert.Equal("first ", await client.ReceiveAsync(6));

        await client.SendAsync("second");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        Assert.Equal(6, _proxy.ToClient.PassedBytes);
        _proxy.ToClient.Remove(hold);
        Assert.Equal("second", await client.ReceiveAsync(6));
    }

    [Fact]
    public async Task A_release_forwards_everything_that_had_arrived()
    {
        var hold = _proxy.ToServer.Add(new HoldToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        using var other = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        await other.SendAsync("b");

        // Whether "b" arrived before the release or after it, a second release is enough.
        hold.Release();
        Assert.Equal("a", await client.ReceiveAsync(1));
        var late = other.ReceiveAsync(1);
        await Patience.UntilAsync(() =>
        {
            hold.Release();
            return late.IsCompleted;
        });

        Assert.Equal("b", await late);
    }

    [Fact]
    public async Task Data_that_the_removal_has_delivered_is_not_held_any_more()
    {
        var hold = _proxy.ToServer.Add(new HoldToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        _proxy.ToServer.Remove(hold);
        Assert.Equal("a", await client.ReceiveAsync(1));
        _proxy.ToServer.Add(hold);

        var holding = hold.WaitUntilHoldingAsync();

        Assert.False(holding.IsCompleted, "Nothing is held.");
        await client.SendAsync("b");
        await holding.WaitAsync(Patience.Time);
        hold.Release();
        Assert.Equal("b", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task A_release_does_not_end_a_wait_that_has_begun()
    {
        var hold = _proxy.ToServer.Add(new HoldToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        var holding = hold.WaitUntilHoldingAsync();

        hold.Release();

        Assert.False(holding.IsCompleted, "Nothing is held.");
        await client.SendAsync("a");
        await holding.WaitAsync(Patience.Time);
        hold.Release();
        Assert.Equal("a", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task The_wait_for_held_data_can_be_cancelled()
    {
        using var cancellation = new CancellationTokenSource();
        var waiting = new HoldToxic().WaitUntilHoldingAsync(cancellation.Token);

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    [Fact]
    public async Task Bytes_pass_through_toxics_in_the_order_of_their_addition()
    {
        var hold = _proxy.ToServer.Add(new HoldToxic());
        var latency = _proxy.ToServer.Add(new LatencyToxic(TimeSpan.FromSeconds(1)));
        Assert.Equal([hold, latency], _proxy.ToServer.Toxics);
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);
        Assert.Equal(0, _clock.ArmedTimers);

        hold.Release();
        await UntilTimersAsync(1);
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal("a", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task Toxics_can_be_added_and_removed_while_a_connection_is_open()
    {
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        Assert.Equal("a", await client.ReceiveAsync(1));
        await Patience.UntilAsync(() => _proxy.ToClient.PassedBytes == 1);

        var latency = _proxy.ToClient.Add(new LatencyToxic(Timeout.InfiniteTimeSpan));
        await client.SendAsync("b");
        await Patience.UntilAsync(() => _proxy.ToServer.PassedBytes == 2);
        Assert.Equal(1, _proxy.ToClient.PassedBytes);

        Assert.True(_proxy.ToClient.Remove(latency));
        Assert.False(_proxy.ToClient.Remove(latency));
        Assert.Equal("b", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task A_changed_setting_applies_to_later_data()
    {
        var latency = _proxy.ToServer.Add(new LatencyToxic(TimeSpan.Zero));
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        Assert.Equal("a", await client.ReceiveAsync(1));

        latency.Delay = TimeSpan.FromSeconds(1);
        await client.SendAsync("b");
        await UntilTimersAsync(1);
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal("b", await client.ReceiveAsync(1));
    }

    [Fact]
    public async Task A_connection_with_data_in_transit_can_be_ended()
    {
        var hold = _proxy.ToServer.Add(new HoldToxic());
        using var client = await SocketPeer.ConnectAsync(_proxy);
        await client.SendAsync("a");
        await hold.WaitUntilHoldingAsync().WaitAsync(Patience.Time);

        _proxy.ResetAll();

        Assert.Equal(("", PeerEnd.Reset), await client.ReceiveToEndAsync());
        Assert.Equal(PeerEnd.Reset, await (await _server.OnlySessionAsync()).End);
    }

    [Fact]
    public void Settings_out_of_range_are_rejected()
    {
        var negative = TimeSpan.FromTicks(-1);

        Assert.Throws<ArgumentOutOfRangeException>(() => new LatencyToxic(negative));
        Assert.Throws<ArgumentOutOfRangeException>(() => new LatencyToxic(TimeSpan.Zero, negative));
        Assert.Throws<ArgumentOutOfRangeException>(() => new BandwidthToxic(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SlicerToxic(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SlicerToxic(1, negative));
        Assert.Throws<ArgumentOutOfRangeException>(() => new LimitToxic(-1));
        var refusal = Assert.Throws<ArgumentOutOfRangeException>(() => new TimeoutToxic(TimeSpan.FromSeconds(-1)));
        Assert.StartsWith(
            "After is -00:00:01; allowed is zero or more, or Timeout.InfiniteTimeSpan.", refusal.Message,
            StringComparison.Ordinal);
    }

    private Task UntilTimersAsync(int count) => Patience.UntilAsync(() => _clock.ArmedTimers == count);

    private sealed class CountingClock : TimeProvider
    {
        private int _readings;

        public int Readings => Volatile.Read(ref _readings);

        public override long GetTimestamp()
        {
            Interlocked.Increment(ref _readings);
            return base.GetTimestamp();
        }
    }
}
