using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Poolhouse.Samples.RabbitPublisher;

/// <summary>Connections to a broker.</summary>
// snippet: rabbit-connections
internal sealed class ConnectionPolicy(ConnectionFactory factory) : ResourcePolicy<IConnection>
{
    public override async ValueTask<IConnection> CreateAsync(CancellationToken cancellationToken) =>
        await factory.CreateConnectionAsync(cancellationToken);

    public override bool IsBroken(IConnection item) => !item.IsOpen;

    // A wrong password will be wrong the next time, too.
    public override bool IsPermanent(Exception createFailure) =>
        createFailure is BrokerUnreachableException { InnerException: AuthenticationFailureException };
}
// end snippet
