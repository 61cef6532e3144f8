using Poolhouse.Samples.RabbitPublisher;
using RabbitMQ.Client;

namespace Poolhouse.RabbitMq.Tests;

/// <summary>The pools that the tests use.</summary>
internal static class Pools
{
    public static NestedResourcePool<IConnection, IChannel> OfChannels(
        ConnectionFactory factory, int maxConnections, int maxChannels, int perConnection) => new(
        new ConnectionPolicy(factory),
        new ChannelPolicy(ChannelMode.Confirms),
        new NestedResourcePoolOptions
        {
            Parents = new ResourcePoolOptions { MaxSize = maxConnections },
            Children = new ResourcePoolOptions { MaxSize = maxChannels, Name = "channels" },
            MaxChildrenPerParent = perConnection,
        });

    public static KeyedNestedResourcePool<ChannelMode, IConnection, IChannel> OfModes(
        ConnectionFactory factory, int maxChannels, int perConnection) => new(
        new ConnectionPolicy(factory),
        mode => new ChannelPolicy(mode),
        new KeyedNestedResourcePoolOptions<ChannelMode>
        {
            Parents = new ResourcePoolOptions { MaxSize = 2 },
            Children = new KeyedResourcePoolOptions<ChannelMode>
            {
                MaxSize = maxChannels,
                PerKey = new ResourcePoolOptions { MaxSize = maxChannels, Name = "modes" },
            },
            MaxChildrenPerParent = perConnection,
        });
}
