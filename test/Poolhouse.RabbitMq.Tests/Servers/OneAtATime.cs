namespace Poolhouse.RabbitMq.Tests.Servers;

/// <summary>Tests that count, or kill, all that the shared server has.</summary>
[CollectionDefinition(nameof(OneAtATime))]
public sealed class OneAtATime;
