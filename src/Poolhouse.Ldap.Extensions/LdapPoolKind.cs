using Poolhouse.Extensions.Configuration;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Ldap.Extensions;

internal sealed class LdapPoolKind : PoolKind<LdapConnectionPool, LdapPoolOptions>
{
    public override string Category => "Poolhouse.Ldap";

    public override Type ItemType => typeof(PooledLdapConnection);

    public override SettingsMap<LdapPoolOptions> Settings => LdapSettings.Map;

    public override void Complete(LdapPoolOptions options, PoolContext context)
    {
        PoolSettings.Complete(options.Pool, context);

        // Its own name, and no log of its own: failed logins of users are no failures of the pool.
        options.VerifyPool.Name ??= options.Pool.Name + "/verify";
        options.VerifyPool.TimeProvider = context.ClockFor(options.VerifyPool.TimeProvider);
        options.VerifyPool.MeterFactory ??= options.VerifyPool.Meter is null ? context.MeterFactory : null;
        options.ServerSet.TimeProvider = context.ClockFor(options.ServerSet.TimeProvider);
    }

    public override LdapConnectionPool Create(IServiceProvider services, LdapPoolOptions options) => new(options);

    public override TimeSpan LeakThresholdOf(LdapPoolOptions options) => options.Pool.LeakThreshold;

    public override Task WarmUpAsync(LdapConnectionPool pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(LdapConnectionPool pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void Keep(LdapPoolOptions options, LdapPoolOptions current)
    {
        options.Credentials = current.Credentials;
        options.VerifyServerCertificate = current.VerifyServerCertificate;
        options.Configure = current.Configure;
    }

    public override void Reconfigure(LdapConnectionPool pool, LdapPoolOptions options) => pool.Reconfigure(options);
}
