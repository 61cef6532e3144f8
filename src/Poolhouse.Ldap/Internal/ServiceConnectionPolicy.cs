using Poolhouse.Ldap.Internal.Servers;

namespace Poolhouse.Ldap.Internal;

/// <summary>Connections bound as the service.</summary>
internal sealed class ServiceConnectionPolicy(
    LdapOpener opener, LdapThreads threads, LdapServers servers, LdapPoolOptions options, LdapCredentials credentials)
    : LdapPolicy(opener, threads, servers, options.Pool)
{
    private readonly bool _validates = options.Validation != LdapValidation.None;

    public override async ValueTask<PooledLdapConnection> CreateAsync(CancellationToken cancellationToken)
    {
        var (credential, version) = await credentials.GetAsync(cancellationToken).ConfigureAwait(false);
        var item = await OpenAsync(server => Opener.OpenBound(server, credential), cancellationToken).ConfigureAwait(false);
        item.CredentialVersion = version;
        return item;
    }

    public override PooledLdapConnection Create(CancellationToken cancellationToken)
    {
#pragma warning disable VSTHRD002, CA2012 // On a dedicated thread of the pool, created for this one creation.
        var (credential, version) = credentials.GetAsync(cancellationToken).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, CA2012
        var item = Open(server => Opener.OpenBound(server, credential), cancellationToken);
        item.CredentialVersion = version;
        return item;
    }

    public override bool IsBroken(PooledLdapConnection item) => base.IsBroken(item) || HasOldCredential(item);

    public override bool IsExpired(PooledLdapConnection item) =>
        base.IsExpired(item) || (!item.IsBroken && HasOldCredential(item));

    public override ValueTask<bool> ValidateAsync(
        PooledLdapConnection item, LeaseInfo info, CancellationToken cancellationToken) =>
        _validates ? ValidateOnServerAsync(item, cancellationToken) : new ValueTask<bool>(!item.IsBroken);

    public override bool NeedsReset(PooledLdapConnection item) => item.NeedsReset || item.HasOtherSettings;

    protected override bool CanReuseAsIs(PooledLdapConnection item) =>
        !item.NeedsReset && !item.IsBroken && !item.IsExpired && !item.HasOtherSettings && !HasOldCredential(item);

    public override async ValueTask<bool> ResetAsync(PooledLdapConnection item, CancellationToken cancellationToken)
    {
        if (item.IsBroken || item.HasOtherSettings)
        {
            return false;
        }

        var (credential, version) = await credentials.GetAsync(cancellationToken).ConfigureAwait(false);
        var isBound = await CallAsync(
            () =>
            {
                Opener.Rebind(item, credential);
                return !item.IsBroken;
            },
            onLate: null,
            "bind again",
            Options.ResetTimeout,
            cancellationToken).ConfigureAwait(false);
        item.CredentialVersion = version;
        return isBound;
    }

    /// <summary>
    /// Whether it was bound with a credential that should be gone by now: it was being bound when that was replaced.
    /// </summary>
    private bool HasOldCredential(PooledLdapConnection item) =>
        item.CredentialVersion is { } version && version.HasBeenReplacedFor(credentials.Spread);
}
