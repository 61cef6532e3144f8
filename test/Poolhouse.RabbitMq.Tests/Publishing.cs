using Poolhouse.RabbitMq.Tests.Servers;
using Poolhouse.Samples.RabbitPublisher;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Poolhouse.RabbitMq.Tests;

/// <summary>
/// Channels on connections, against a real broker. One test at a time: they inspect all connections of the server.
/// </summary>
[Collection(nameof(OneAtATime))]
public sealed class Publishing(RabbitServer server)
{
    private const int Publishers = 16;

    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Many_publishers_share_few_channels_and_nothing_is_lost()
    {
        const int Messages = 100;
        var queue = await server.NewQueueAsync();
        await using var pool = await PoolAsync(maxConnections: 2, maxChannels: 6, perConnection: 4);
        var publisher = new Publisher(pool, queue.Name);

        await publisher.PublishAsync(Publishers, Messages, Cancellation).WaitAsync(_limit, Cancellation);

        Assert.Equal(0, publisher.Failures);
        Assert.Equal(publisher.Confirmed.Order(), (await queue.EmptyAsync()).Order());
        Assert.Equal(Publishers * Messages, publisher.Confirmed.Count);
        Assert.InRange(pool.GetStatistics().Created, 1, 6);
        Assert.InRange(pool.GetParentStatistics().Created, 1, 2);
    }

    [Fact]
    public async Task The_server_never_sees_more_channels_than_the_bounds_allow()
    {
        const int Looks = 20;
        var queue = await server.NewQueueAsync();
        await using var pool = await PoolAsync(maxConnections: 3, maxChannels: 5, perConnection: 2);
        var publisher = new Publisher(pool, queue.Name);
        var looks = 0;
        var publishing = publisher.PublishUntilAsync(publishers: 6, () => Volatile.Read(ref looks) == Looks, Cancellation);

        for (; looks < Looks; Interlocked.Increment(ref looks))
        {
            var before = publisher.Confirmed.Count;
            await UntilAsync(() => publisher.Confirmed.Count > before + 10);
            var channels = await server.GetChannelsAsync("connection", "number");
            Assert.InRange(channels.Count, 1, 5);
            var connections = channels.GroupBy(row => row.Split('\t')[0], StringComparer.Ordinal).ToList();
            Assert.InRange(connections.Count, 1, 3);
            Assert.All(connections, onOne => Assert.InRange(onOne.Count(), 1, 2));

            // So that channels are opened and closed while the server is queried.
            pool.Trim();
        }

        await publishing.WaitAsync(_limit, Cancellation);
        Assert.Equal(0, publisher.Failures);
        Assert.Equal(publisher.Confirmed.Count, await queue.DeleteAsync());
    }

    [Fact]
    public async Task A_channel_closed_by_the_server_does_not_affect_others()
    {
        await using var pool = await PoolAsync(maxConnections: 1, maxChannels: 3, perConnection: 3);
        await pool.WarmUpAsync(3, Cancellation);
        await using var bystander = await pool.RentAsync(Cancellation);
        await using (var lease = await pool.RentAsync(Cancellation))
        {
            var channel = lease.Value;
            await Assert.ThrowsAsync<OperationInterruptedException>(
                () => channel.QueueDeclarePassiveAsync("no such queue", Cancellation));
            Assert.False(channel.IsOpen);
        }

        await UntilAsync(() => pool.GetStatistics().DestroyedFor(DestroyReason.Broken) == 1);
        Assert.True(bystander.Value.IsOpen);
        Assert.Equal((1, 0), (pool.GetParentStatistics().Created, pool.GetParentStatistics().Destroyed));
        await using var next = await pool.RentAsync(Cancellation);
        await using var last = await pool.RentAsync(Cancellation);
        Assert.True(next.Value.IsOpen && last.Value.IsOpen);
    }

    [Fact]
    public async Task A_message_to_a_missing_exchange_fails_only_for_its_publisher()
    {
        var queue = await server.NewQueueAsync();
        await using var pool = await PoolAsync(maxConnections: 1, maxChannels: 4, perConnection: 4);
        var publisher = new Publisher(pool, queue.Name);
        var publishing = publisher.PublishAsync(publishers: 4, messages: 50, Cancellation);

        for (var attempt = 0; attempt < 5; attempt++)
        {
            await using var lease = await pool.RentAsync(Cancellation);
            var channel = lease.Value;
            await Assert.ThrowsAnyAsync<Exception>(
                () => channel.BasicPublishAsync("no such exchange", "key", mandatory: true, new byte[1], Cancellation).AsTask());
            lease.Taint();
        }

        await publishing.WaitAsync(_limit, Cancellation);
        Assert.Equal((0, 200), (publisher.Failures, await queue.DeleteAsync()));
        Assert.Equal(1, pool.GetParentStatistics().Created);
    }

    [Fact]
    public async Task Killed_connections_lose_no_confirmed_message()
    {
        const int Kills = 3;
        var queue = await server.NewQueueAsync();
        await using var pool = await PoolAsync(maxConnections: 2, maxChannels: 8, perConnection: 4);
        var publisher = new Publisher(pool, queue.Name);
        var kills = 0;
        var publishing = publisher.PublishUntilAsync(Publishers, () => Volatile.Read(ref kills) == Kills, Cancellation);

        for (; kills < Kills; Interlocked.Increment(ref kills))
        {
            var before = publisher.Confirmed.Count;
            await UntilAsync(() => publisher.Confirmed.Count > before + 100);
            await server.CloseAllConnectionsAsync();
        }

        await publishing.WaitAsync(_limit, Cancellation);
        var next = new Publisher(pool, queue.Name);
        await next.PublishAsync(publishers: 1, messages: 1, Cancellation).WaitAsync(_limit, Cancellation);

        Assert.Empty(publisher.Confirmed.Except(await queue.EmptyAsync(), StringComparer.Ordinal));
        Assert.InRange(pool.GetParentStatistics().Destroyed, Kills, long.MaxValue);
        await UntilAsync(() => pool.GetStatistics() is var now && now.Leased == 0 && pool.GetChildCounts().Sum() == now.Live);
    }

    // Whether a killed connection had a message on its way is a matter of chance, so here the server is kept from reading it.
    [Fact]
    public async Task A_message_on_its_way_when_its_connection_is_killed_fails_for_its_publisher_who_publishes_it_again()
    {
        var queue = await server.NewQueueAsync();
        await using var pool = await PoolAsync(maxConnections: 1, maxChannels: 1, perConnection: 1);
        var publisher = new Publisher(pool, queue.Name);
        var publishing = publisher.PublishUntilAsync(publishers: 1, () => publisher.Failures > 0, Cancellation);
        await server.BlockPublishersAsync();
        try
        {
            await UntilAsync(() => server.AnyIsBlockedAsync());
            await UntilAsync(async () => publisher.Confirmed.Count == await queue.CountAsync());
            Assert.Equal((0, false), (publisher.Failures, publishing.IsCompleted));

            await server.CloseAllConnectionsAsync();

            await UntilAsync(() => publisher.Failures > 0);
        }
        finally
        {
            await server.UnblockPublishersAsync();
        }

        await publishing.WaitAsync(_limit, Cancellation);
        Assert.Equal(publisher.Confirmed.Order(), (await queue.EmptyAsync()).Order());
        Assert.Equal(1, pool.GetParentStatistics().DestroyedFor(DestroyReason.Broken));
    }

    [Fact]
    public async Task Connections_are_replaced_under_load_without_an_error()
    {
        const int Clears = 3;
        var queue = await server.NewQueueAsync();
        await using var pool = await PoolAsync(maxConnections: 3, maxChannels: 4, perConnection: 4);
        var publisher = new Publisher(pool, queue.Name);
        var clears = 0;
        var publishing = publisher.PublishUntilAsync(Publishers, () => Volatile.Read(ref clears) == Clears, Cancellation);

        for (; clears < Clears; Interlocked.Increment(ref clears))
        {
            var before = publisher.Confirmed.Count;
            await UntilAsync(() => publisher.Confirmed.Count > before + 100);
            pool.Clear();
        }

        await publishing.WaitAsync(_limit, Cancellation);
        Assert.Equal(0, publisher.Failures);
        Assert.Equal(publisher.Confirmed.Order(), (await queue.EmptyAsync()).Order());
        await UntilAsync(() => pool.GetParentStatistics().DestroyedFor(DestroyReason.Cleared) >= Clears);
        await UntilAsync(async () => await server.CountConnectionsAsync() <= 3);
    }

    [Fact]
    public async Task Channels_of_different_modes_never_mix()
    {
        var queue = await server.NewQueueAsync();
        await using var pool = Pools.OfModes(await server.GetFactoryAsync(), maxChannels: 4, perConnection: 2);
        var modes = Enum.GetValues<ChannelMode>();
        await Task.WhenAll(Enumerable.Range(0, Publishers).Select(async number =>
        {
            for (var round = 0; round < 20; round++)
            {
                var mode = modes[(number + round) % modes.Length];
                await using var lease = await pool.RentAsync(mode, Cancellation);
                var channel = lease.Value;
                await channel.BasicPublishAsync(string.Empty, queue.Name, mandatory: true, "text"u8.ToArray(), Cancellation);
                if (mode == ChannelMode.Transactions)
                {
                    // The server closes a channel that commits without being transactional.
                    await channel.TxCommitAsync(Cancellation);
                }
            }
        })).WaitAsync(_limit, Cancellation);

        var channels = await server.GetChannelsAsync("transactional", "confirm");
        Assert.InRange(channels.Count, 1, 4);
        Assert.DoesNotContain("true\ttrue", channels);
        Assert.Equal(0, pool.GetStatistics().DestroyedFor(DestroyReason.Broken));
        Assert.Equal(3, pool.KeyCount);

        // What was published without a confirm may still be on its way in.
        await pool.DrainAsync(Cancellation).WaitAsync(_limit, Cancellation);
        Assert.Equal(Publishers * 20, await queue.DeleteAsync());
    }

    [Fact]
    public async Task A_transaction_that_was_left_open_is_not_committed_by_the_next_user()
    {
        var queue = await server.NewQueueAsync();
        await using var pool = Pools.OfModes(await server.GetFactoryAsync(), maxChannels: 1, perConnection: 1);
        await using (var lease = await pool.RentAsync(ChannelMode.Transactions, Cancellation))
        {
            await lease.Value.BasicPublishAsync(string.Empty, queue.Name, mandatory: true, "left"u8.ToArray(), Cancellation);
        }

        await using (var lease = await pool.RentAsync(ChannelMode.Transactions, Cancellation))
        {
            await lease.Value.BasicPublishAsync(string.Empty, queue.Name, mandatory: true, "own"u8.ToArray(), Cancellation);
            await lease.Value.TxCommitAsync(Cancellation);
        }

        Assert.Equal(1, pool.GetStatistics().Created);
        Assert.Equal(["own"], await queue.EmptyAsync());
    }

    [Fact]
    public async Task A_wrong_password_fails_at_once_with_the_clients_exception()
    {
        var factory = await server.GetFactoryAsync();
        factory.Password = "wrong";
        await using var pool = Pools.OfChannels(factory, maxConnections: 1, maxChannels: 1, perConnection: 1);

        var failure = await Assert.ThrowsAsync<BrokerUnreachableException>(() => pool.RentAsync(Cancellation).AsTask());

        Assert.IsType<AuthenticationFailureException>(failure.InnerException);
    }

    [Fact]
    public async Task Channels_beyond_what_the_server_allows_on_a_connection_are_created_on_another()
    {
        const int Allowed = 10;
        await server.SetChannelMaxAsync(Allowed);
        try
        {
            await using var pool = await PoolAsync(maxConnections: 3, maxChannels: 24, perConnection: 24);

            var leases = await Task.WhenAll(Enumerable.Range(0, 24).Select(_ => pool.RentAsync(_limit, Cancellation).AsTask()));

            Assert.Equal(24, pool.GetChildCounts().Sum());
            Assert.All(pool.GetChildCounts(), channels => Assert.InRange(channels, 1, Allowed));
            Assert.Equal(0, pool.GetStatistics().CreateFailures);
            await Task.WhenAll(leases.Select(lease => lease.DisposeAsync().AsTask()));
        }
        finally
        {
            await server.SetChannelMaxAsync(2_047);
        }
    }

    [Fact]
    public async Task Callers_wait_for_a_returned_channel_when_no_connection_has_a_free_one()
    {
        var factory = await server.GetFactoryAsync();
        factory.RequestedChannelMax = 2;
        await using var pool = Pools.OfChannels(factory, maxConnections: 2, maxChannels: 8, perConnection: 4);
        var leases = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => pool.RentAsync(_limit, Cancellation).AsTask()));
        var waiting = pool.RentAsync(_limit, Cancellation).AsTask();
        await UntilAsync(() => pool.GetStatistics().Creating == 1);

        await leases[0].DisposeAsync();
        var served = await waiting;
        leases[1].Discard();
        await using var replaced = await pool.RentAsync(_limit, Cancellation);

        Assert.True(served.Value.IsOpen && replaced.Value.IsOpen);
        Assert.Equal((0, 4), (pool.GetStatistics().CreateFailures, pool.GetChildCounts().Sum()));
        await served.DisposeAsync();
        await leases[2].DisposeAsync();
        await leases[3].DisposeAsync();
    }

    private async Task<NestedResourcePool<IConnection, IChannel>> PoolAsync(
        int maxConnections, int maxChannels, int perConnection) =>
        Pools.OfChannels(await server.GetFactoryAsync(), maxConnections, maxChannels, perConnection);

    private static Task UntilAsync(Func<bool> condition) => UntilAsync(() => Task.FromResult(condition()));

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        using var deadline = new CancellationTokenSource(_limit, TimeProvider.System);
        while (!await condition())
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), TimeProvider.System, deadline.Token);
        }
    }
}
