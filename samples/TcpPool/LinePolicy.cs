using System.Net;

namespace Poolhouse.Samples.TcpPool;

// snippet: tcp-policy
internal sealed class LinePolicy(IPEndPoint server) : ResourcePolicy<LineConnection>
{
    public override ValueTask<LineConnection> CreateAsync(CancellationToken cancellationToken) =>
        LineConnection.ConnectAsync(server, cancellationToken);

    public override bool IsBroken(LineConnection item) => item.IsClosed;

    public override bool IsBrokenAfterIdle(LineConnection item) => item.HasHungUp();

    public override async ValueTask<bool> ValidateAsync(
        LineConnection item, LeaseInfo info, CancellationToken cancellationToken) =>
        await item.AskAsync("ping", cancellationToken) is "ping";

    public override async ValueTask<bool> ResetAsync(LineConnection item, CancellationToken cancellationToken) =>
        await item.AskAsync("/reset", cancellationToken) is "ok";
}
// end snippet
