using System.Net;

namespace Poolhouse.Samples.SmtpPool;

internal sealed class SmtpPolicy(IPEndPoint server) : ResourcePolicy<SmtpSession>
{
    public override ValueTask<SmtpSession> CreateAsync(CancellationToken cancellationToken) =>
        SmtpSession.OpenAsync(server, cancellationToken);

    public override bool IsBroken(SmtpSession item) => !item.IsInStep;

    public override async ValueTask<bool> ResetAsync(SmtpSession item, CancellationToken cancellationToken)
    {
        await item.SayAsync("RSET", 250, cancellationToken); // a refusal throws, which counts as false
        return true;
    }

    public override async ValueTask<bool> ValidateAsync(SmtpSession item, LeaseInfo info, CancellationToken cancellationToken)
    {
        await item.SayAsync("NOOP", 250, cancellationToken);
        return true;
    }

    public override ValueTask KeepAliveAsync(SmtpSession item, CancellationToken cancellationToken) =>
        item.SayAsync("NOOP", 250, cancellationToken);

    // A rejected mail does not harm the session: all of its commands were answered, and RSET follows.
    public override ValueTask<bool> ProveCleanAsync(SmtpSession item, CancellationToken cancellationToken) => new(item.IsInStep);

    public override async ValueTask DestroyAsync(SmtpSession item, DestroyReason reason)
    {
        using (item)
        {
            if (item.IsInStep)
            {
                await item.SayAsync("QUIT", 221, CancellationToken.None);
            }
        }
    }
}
