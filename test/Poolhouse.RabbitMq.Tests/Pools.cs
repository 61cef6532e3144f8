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
            ParentPool = new ResourcePoolOptions { MaxSize = maxConnections },
            ChildPool = new ResourcePoolOptions { MaxSize = maxChannels, Name = "channels" },
            MaxChildrenPerParent = perConnection,
        });

    public static KeyedNestedResourcePool<ChannelMode, IConnection, IChannel> OfModes(
        ConnectionFactory factory, int maxChannels, int perConnection) => new(
        new ConnectionPolicy(factory),
        mode => new ChannelPolicy(mode),
        new KeyedNestedResourcePoolOptions<ChannelMode>
        {
            ParentPool = new ResourcePoolOptions { MaxSize = 2 },
            ChildPool = new KeyedResourcePoolOptions<ChannelMode>
            {
                MaxSize = maxChannels,
                Pool = new ResourcePoolOptions { MaxSize = maxChannels, Name = "modes" },
            },
            MaxChildrenPerParent = perConnection,
        });
}
