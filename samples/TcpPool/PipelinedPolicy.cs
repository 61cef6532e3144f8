using System.Net;

namespace Poolhouse.Samples.TcpPool;

internal sealed class PipelinedPolicy(IPEndPoint server) : ResourcePolicy<PipelinedClient>
{
    public override ValueTask<PipelinedClient> CreateAsync(CancellationToken cancellationToken) =>
        PipelinedClient.ConnectAsync(server, cancellationToken);

    public override bool IsBroken(PipelinedClient item) => item.IsClosed;

    public override async ValueTask KeepAliveAsync(PipelinedClient item, CancellationToken cancellationToken) =>
        await item.AskAsync("ping").WaitAsync(cancellationToken);
}
