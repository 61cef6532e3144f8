using System.Net;
using Poolhouse.Servers;

namespace Poolhouse.Samples.TcpPool;

// snippet: server-set-policy
internal sealed class FailoverPolicy(ServerSet<IPEndPoint> servers) : ResourcePolicy<ServerItem<IPEndPoint, LineConnection>>
{
    public override ValueTask<ServerItem<IPEndPoint, LineConnection>> CreateAsync(CancellationToken cancellationToken) =>
        servers.CreateAsync(
            LineConnection.ConnectAsync, TimeSpan.FromSeconds(15), cancellationToken); // CreateTimeout of the pool

    public override bool IsBroken(ServerItem<IPEndPoint, LineConnection> item)
    {
        if (item.Value.IsClosed)
        {
            item.ReportFailure();
            return true;
        }

        return item.ShouldFailBack();
    }

    // An item that works, and gives way to one on a better server, is not counted as broken.
    public override bool IsExpired(ServerItem<IPEndPoint, LineConnection> item) => !item.Value.IsClosed && item.ShouldFailBack();
}
// end snippet
