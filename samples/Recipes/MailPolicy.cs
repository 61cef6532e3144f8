using MailKit.Net.Smtp;
using MailKit.Security;

namespace Poolhouse.Samples.Recipes;

// snippet: mail-policy
internal sealed class MailPolicy(string host, int port) : ResourcePolicy<SmtpClient>
{
    public override async ValueTask<SmtpClient> CreateAsync(CancellationToken cancellationToken)
    {
        var client = new SmtpClient();
        try
        {
            await client.ConnectAsync(host, port, SecureSocketOptions.StartTlsWhenAvailable, cancellationToken);
            return client; // with a password: after AuthenticateAsync
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    // MailKit closes the session after every failure except a refusal by the server.
    public override bool IsBroken(SmtpClient item) => !item.IsConnected;

    public override ValueTask<bool> ProveCleanAsync(SmtpClient item, CancellationToken cancellationToken) =>
        new(item.IsConnected);

    public override async ValueTask<bool> ValidateAsync(SmtpClient item, LeaseInfo info, CancellationToken cancellationToken)
    {
        await item.NoOpAsync(cancellationToken);
        return true;
    }

    public override async ValueTask DestroyAsync(SmtpClient item, DestroyReason reason)
    {
        using (item)
        {
            await item.DisconnectAsync(quit: true);
        }
    }
}
// end snippet
