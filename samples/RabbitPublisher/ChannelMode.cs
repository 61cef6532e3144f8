namespace Poolhouse.Samples.RabbitPublisher;

/// <summary>What a channel was set up for. That cannot be taken back, so channels are kept apart by it.</summary>
internal enum ChannelMode
{
    Plain,

    /// <summary>The broker confirms each message.</summary>
    Confirms,

    /// <summary>Messages are published when a transaction is committed.</summary>
    Transactions,
}
