using Poolhouse.Resources;

namespace Poolhouse.Ldap;

/// <summary>Connections bound as the service.</summary>
internal sealed class OperatePolicy(
    LdapOpener opener, LdapThreads threads, ServerSet<LdapServer> servers, LdapPoolOptions options, LdapCredentials credentials)
    : LdapPolicy(opener, threads, servers, options.Pool)
{
    private readonly bool _validates = options.Validation != LdapValidation.None;

    public override async ValueTask<PooledLdapConnection> CreateAsync(CancellationToken cancellationToken)
    {
        var credential = await credentials.GetAsync(cancellationToken).ConfigureAwait(false);
        return await OpenAsync(server => Opener.OpenBound(server, credential), cancellationToken).ConfigureAwait(false);
    }

    public override ValueTask<bool> ValidateAsync(PooledLdapConnection item, LeaseInfo info, CancellationToken cancellationToken) =>
        _validates ? AskAsync(item, cancellationToken) : new ValueTask<bool>(!item.IsBroken);

    public override bool NeedsReset(PooledLdapConnection item) => item.NeedsReset;

    public override async ValueTask<bool> ResetAsync(PooledLdapConnection item, CancellationToken cancellationToken)
    {
        if (item.IsBroken)
        {
            return false;
        }

        var credential = await credentials.GetAsync(cancellationToken).ConfigureAwait(false);
        return await CallAsync(
            () =>
            {
                Opener.Rebind(item, credential);
                return !item.IsBroken;
            },
            onLate: null,
            "bind again",
            Options.ResetTimeout,
            cancellationToken).ConfigureAwait(false);
    }
}
