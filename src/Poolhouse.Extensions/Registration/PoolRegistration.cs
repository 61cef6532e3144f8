using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Poolhouse.Extensions.Registration;

/// <summary>One registered pool: its description, before there is a container.</summary>
internal abstract class PoolRegistration(string name, bool isNamed, string method)
{
    public string Name => name;

    public bool IsNamed => isNamed;

    /// <summary>The call that registered the pool, for messages.</summary>
    public string Method => method;

    public List<Func<IServiceProvider, object>> Observers { get; } = [];

    public WarmUpPlan? WarmUp { get; set; }

    public DrainPlan? Drain { get; set; }

    /// <summary>How reports judge a pool that cannot serve: as its last health check.</summary>
    public HealthStatus FailureStatus { get; set; } = HealthStatus.Unhealthy;

    /// <summary>How reports judge a saturated pool.</summary>
    public HealthStatus SaturatedStatus { get; set; } = HealthStatus.Degraded;

    public abstract Type? ObserverType { get; }

    public abstract bool CanWarmUp { get; }

    public abstract bool CanDrain { get; }

    public abstract PoolHandle CreateHandle(IServiceProvider services);

    public PoolHandle Resolve(IServiceProvider services) => services.GetRequiredKeyedService<PoolHandle>(name);
}
