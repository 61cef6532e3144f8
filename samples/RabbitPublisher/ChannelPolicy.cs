using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Poolhouse.Samples.RabbitPublisher;

/// <summary>Channels of one mode.</summary>
// snippet: rabbit-channels
internal sealed class ChannelPolicy(ChannelMode mode) : NestedPolicy<IConnection, IChannel>
{
    private readonly CreateChannelOptions _options = new(
        publisherConfirmationsEnabled: mode == ChannelMode.Confirms,
        publisherConfirmationTrackingEnabled: mode == ChannelMode.Confirms);

    public override async ValueTask<IChannel> CreateAsync(IConnection parent, CancellationToken cancellationToken)
    {
        var channel = await parent.CreateChannelAsync(_options, cancellationToken);
        if (mode == ChannelMode.Transactions)
        {
            await channel.TxSelectAsync(cancellationToken);
        }

        return channel;
    }

    // The broker closes a channel on which something went wrong: only that one is lost.
    public override bool IsBroken(IChannel item) => !item.IsOpen;

    // The server may allow fewer channels on a connection than MaxChildrenPerParent: the next one is created on another
    // connection.
    public override bool IsParentFull(Exception createFailure) => createFailure is ChannelAllocationException;
}
// end snippet
