using System.Net;
using System.Security.Cryptography;
using System.Text;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Ldap.Internal;

/// <summary>Returns the credential of the service, and detects when it has changed.</summary>
// To detect changes it stores a keyed digest, not the password.
internal sealed class LdapCredentials(LdapPoolOptions options, Action onRotated)
{
    private readonly byte[] _key = RandomNumberGenerator.GetBytes(32);
    private readonly Gate _gate = new();
    private byte[]? _last;

    /// <summary>The credential; null for anonymous ones and the ticket of the process.</summary>
    public async ValueTask<NetworkCredential?> GetAsync(CancellationToken cancellationToken)
    {
        if (options.Credentials is not { } provider)
        {
            return options.UserName is null ? null : new NetworkCredential(options.UserName, options.Password);
        }

        var credential = await provider(cancellationToken).ConfigureAwait(false)
            ?? throw new InvalidOperationException(
                "The Credentials callback of an LDAP pool returned null. Return a NetworkCredential, or remove the callback to " +
                "connect anonymously.");
        if (options.EffectiveAuthType == System.DirectoryServices.Protocols.AuthType.Basic
            && (string.IsNullOrWhiteSpace(credential.UserName) || credential.Password.Length == 0))
        {
            throw new InvalidOperationException(
                "The Credentials callback of an LDAP pool returned no user name or no password: a simple bind would be " +
                "anonymous. Return both, or use AuthType.Anonymous.");
        }

        if (IsAnother(credential))
        {
            onRotated();
        }

        return credential;
    }

    private bool IsAnother(NetworkCredential credential)
    {
        var text = string.Join('\0', credential.Domain, credential.UserName, credential.Password);
        var digest = HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes(text));
        using (_gate.Enter())
        {
            var before = _last;
            _last = digest;
            return before is not null && !CryptographicOperations.FixedTimeEquals(before, digest);
        }
    }
}
