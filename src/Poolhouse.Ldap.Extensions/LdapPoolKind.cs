using Poolhouse.Extensions;

namespace Poolhouse.Ldap.Extensions;

internal sealed class LdapPoolKind : PoolKind<LdapConnectionPool, LdapPoolOptions>
{
    public override string Category => "Poolhouse.Ldap";

    public override Type ItemType => typeof(PooledLdapConnection);

    public override SettingsMap<LdapPoolOptions> Settings => LdapSettings.Map;

    public override void Complete(LdapPoolOptions options, PoolContext context)
    {
        context.Complete(options.Pool);

        // Its own name, and no log of its own: failed logins of users are no failures of the pool.
        options.VerifyPool.Name ??= options.Pool.Name + "/verify";
        context.CompleteUnobserved(options.VerifyPool);
        options.ServerSet.TimeProvider = context.ClockFor(options.ServerSet.TimeProvider);
    }

    public override LdapConnectionPool Create(IServiceProvider services, LdapPoolOptions options) => new(options);

    public override int? GetMaxWarmUp(LdapConnectionPool pool, LdapPoolOptions options) => pool.GetStatistics().MaxSize;

    public override Task WarmUpAsync(LdapConnectionPool pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(LdapConnectionPool pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(LdapPoolOptions options, LdapPoolOptions current)
    {
        options.Credentials = current.Credentials;
        options.VerifyServerCertificate = current.VerifyServerCertificate;
        options.Configure = current.Configure;
        options.ServerSet.TimeProvider = current.ServerSet.TimeProvider;
        PoolContext.Keep(options.Pool, current.Pool);
        PoolContext.Keep(options.VerifyPool, current.VerifyPool);
    }

    public override void Reconfigure(LdapConnectionPool pool, LdapPoolOptions options) => pool.Reconfigure(options);
}
