using System.Net;
using System.Security.Cryptography;
using System.Text;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Ldap.Internal;

/// <summary>Returns the credential of the service, and detects when it has changed.</summary>
// To detect changes it stores a keyed digest, not the password.
// The connections bound with an older credential are replaced, but not those that are being bound: if each call of the callback
// returned another credential, none would ever be usable.
internal sealed class LdapCredentials(LdapPoolOptions options, Action<TimeSpan> onRotated)
{
    private readonly byte[] _key = RandomNumberGenerator.GetBytes(32);
    private readonly Gate _gate = new();
    private byte[]? _last;
    private CredentialVersion _version = new(options.Pool.TimeProvider);
    private long _spreadTicks = options.CredentialSpread.Ticks;

    /// <summary>The time over which connections with an old credential are replaced.</summary>
    public TimeSpan Spread
    {
        get => TimeSpan.FromTicks(Volatile.Read(ref _spreadTicks));
        set => Volatile.Write(ref _spreadTicks, value.Ticks);
    }

    /// <summary>The credential, null for anonymous ones and the ticket of the process; and its version.</summary>
    public async ValueTask<(NetworkCredential? Credential, CredentialVersion Version)> GetAsync(
        CancellationToken cancellationToken)
    {
        if (options.Credentials is not { } provider)
        {
            return (options.UserName is null ? null : new NetworkCredential(options.UserName, options.Password), _version);
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

        if (HasChanged(credential, out var version))
        {
            onRotated(Spread);
        }

        return (credential, version);
    }

    private bool HasChanged(NetworkCredential credential, out CredentialVersion version)
    {
        var text = string.Join('\0', credential.Domain, credential.UserName, credential.Password);
        var digest = HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes(text));
        var now = options.Pool.TimeProvider.GetTimestamp();
        using (_gate.Enter())
        {
            var before = _last;
            _last = digest;
            var isAnother = before is not null && !CryptographicOperations.FixedTimeEquals(before, digest);
            if (isAnother)
            {
                _version.Replace(now);
                _version = new CredentialVersion(options.Pool.TimeProvider);
            }

            version = _version;
            return isAnother;
        }
    }
}
