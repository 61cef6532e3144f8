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
            try
            {
                await channel.TxSelectAsync(cancellationToken);
            }
            catch
            {
                await channel.DisposeAsync();
                throw;
            }
        }

        return channel;
    }

    // The broker closes a channel on which something went wrong: only that one is lost.
    public override bool IsBroken(IChannel item) => !item.IsOpen;

    // What the last user of a transactional channel published and did not commit must not be committed by the next one.
    public override bool NeedsReset(IChannel item) => mode == ChannelMode.Transactions;

    public override async ValueTask<bool> ResetAsync(IChannel item, CancellationToken cancellationToken)
    {
        await item.TxRollbackAsync(cancellationToken);
        return true;
    }

    // The server may allow fewer channels on a connection than MaxChildrenPerParent: the next one is created on another
    // connection.
    public override bool IsParentFull(Exception createFailure) => createFailure is ChannelAllocationException;
}
// end snippet
