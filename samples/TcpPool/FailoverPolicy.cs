using System.Net;

namespace Poolhouse.Samples.TcpPool;

// snippet: server-set-policy
internal sealed class FailoverPolicy(ServerSet<IPEndPoint> servers) : ResourcePolicy<ServerItem<IPEndPoint, LineConnection>>
{
    public override ValueTask<ServerItem<IPEndPoint, LineConnection>> CreateAsync(CancellationToken cancellationToken) =>
        servers.CreateAsync(LineConnection.ConnectAsync, TimeSpan.FromSeconds(15), cancellationToken); // CreateTimeout of the pool

    public override bool IsBroken(ServerItem<IPEndPoint, LineConnection> item)
    {
        if (item.Value.IsClosed)
        {
            item.ReportFailure();
            return true;
        }

        return item.ShouldFailBack();
    }
}
// end snippet
