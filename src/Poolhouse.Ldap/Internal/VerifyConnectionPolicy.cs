using Poolhouse.Ldap.Internal.Servers;

namespace Poolhouse.Ldap.Internal;

/// <summary>
/// Connections that are only used for binds of users. The last bind has no effect on the next one.
/// </summary>
internal sealed class VerifyConnectionPolicy(LdapOpener opener, LdapThreads threads, LdapServers servers, LdapPoolOptions options)
    : LdapPolicy(opener, threads, servers, options.VerifyPool)
{
    private readonly int _maxBinds = options.MaxBindsPerConnection;
    private readonly bool _validates = options.Validation != LdapValidation.None;

    public override ValueTask<PooledLdapConnection> CreateAsync(CancellationToken cancellationToken) =>
        OpenAsync(Opener.OpenUnbound, cancellationToken);

    public override PooledLdapConnection Create(CancellationToken cancellationToken) =>
        Open(Opener.OpenUnbound, cancellationToken);

    public override bool IsBroken(PooledLdapConnection item) => item.Binds >= _maxBinds || base.IsBroken(item);

    public override ValueTask<bool> ValidateAsync(
        PooledLdapConnection item, LeaseInfo info, CancellationToken cancellationToken) =>
        _validates ? ValidateOnServerAsync(item, cancellationToken) : new ValueTask<bool>(!item.IsBroken);
}
