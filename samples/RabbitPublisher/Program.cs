using System.Text;
using Poolhouse;
using Poolhouse.Samples.RabbitPublisher;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

const string Queue = "poolhouse-sample";

var address = new Uri(args is [var given] ? given : "amqp://localhost");

// The pool replaces lost connections; two components that repair the same one would interfere with each other.
var factory = new ConnectionFactory { Uri = address, AutomaticRecoveryEnabled = false };

// snippet: rabbit-pool
await using var pool = new NestedResourcePool<IConnection, IChannel>(
    new ConnectionPolicy(factory),
    new ChannelPolicy(ChannelMode.Confirms),
    new NestedResourcePoolOptions
    {
        ParentPool = new ResourcePoolOptions { MaxSize = 2, MaxLifetime = TimeSpan.FromHours(1) },
        ChildPool = new ResourcePoolOptions { MaxSize = 8, Name = "orders" },
        MaxChildrenPerParent = 8,
    });
// end snippet

try
{
    await pool.WarmUpAsync(1);
}
catch (BrokerUnreachableException)
{
    Console.WriteLine($"No RabbitMQ server answers on {address.Host}: nothing was published.");
    Console.WriteLine("Give the address of one as the argument: amqp://user:password@host");
    return;
}

await using (var lease = await pool.RentAsync())
{
    await lease.Value.QueueDeclareAsync(Queue, durable: false, exclusive: false, autoDelete: false);
}

await Task.WhenAll(Enumerable.Range(1, 100).Select(number => PublishAsync(Queue, $"order {number}")));
var (channels, connections) = (pool.GetStatistics().MaxSize, pool.GetParentStatistics().MaxSize);
Console.WriteLine($"100 messages confirmed, over at most {channels} channels on at most {connections} connections.");

try
{
    await PublishAsync("no-such-queue", "lost?");
}
catch (PublishException refused)
{
    Console.WriteLine(refused.IsReturn ? "Nobody takes messages for no-such-queue." : "Not confirmed.");
}

// snippet: rabbit-modes
await using var modes = new KeyedNestedResourcePool<ChannelMode, IConnection, IChannel>(
    new ConnectionPolicy(factory),
    mode => new ChannelPolicy(mode),
    new KeyedNestedResourcePoolOptions<ChannelMode>
    {
        ParentPool = new ResourcePoolOptions { MaxSize = 1 },
        ChildPool = new KeyedResourcePoolOptions<ChannelMode>
        {
            MaxSize = 8,
            Pool = new ResourcePoolOptions { MaxSize = 8, Name = "all-channels" },
        },
        MaxChildrenPerParent = 8,
    });

await using (var lease = await modes.RentAsync(ChannelMode.Transactions))
{
    await lease.Value.BasicPublishAsync(string.Empty, Queue, mandatory: true, "both"u8.ToArray());
    await lease.Value.BasicPublishAsync(string.Empty, Queue, mandatory: true, "or none"u8.ToArray());
    await lease.Value.TxCommitAsync();
}
// end snippet

await using (var lease = await modes.RentAsync(ChannelMode.Plain))
{
    Console.WriteLine($"{await lease.Value.QueueDeleteAsync(Queue)} messages in the queue.");
}

// snippet: rabbit-publish
async Task PublishAsync(string queue, string text, CancellationToken cancellationToken = default)
{
    await using var lease = await pool.RentAsync(cancellationToken);
    try
    {
        // Completes when the broker has confirmed the message, and throws when it has not.
        var body = Encoding.UTF8.GetBytes(text);
        await lease.Value.BasicPublishAsync(string.Empty, queue, mandatory: true, body, cancellationToken);
    }
    catch
    {
        // Requests may still be pending on the channel: it is not reused, but its connection is.
        lease.Taint();
        throw;
    }
}
// end snippet
