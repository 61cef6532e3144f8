using Renci.SshNet;
using Renci.SshNet.Common;

namespace Poolhouse.Samples.Recipes;

// snippet: ssh-policy
internal sealed class SshPolicy(Func<ConnectionInfo> server, string fingerprint) : ResourcePolicy<SshClient>
{
    public override async ValueTask<SshClient> CreateAsync(CancellationToken cancellationToken)
    {
        var client = new SshClient(server());
        client.HostKeyReceived += (_, key) =>
            key.CanTrust = string.Equals(key.FingerPrintSHA256, fingerprint, StringComparison.Ordinal);
        try
        {
            await client.ConnectAsync(cancellationToken);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    // A wrong key or password will be wrong the next time, too.
    public override bool IsPermanent(Exception createFailure) => createFailure is SshAuthenticationException;

    public override bool IsBroken(SshClient item) => !item.IsConnected;
}
// end snippet
