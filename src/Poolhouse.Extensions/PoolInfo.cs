using Microsoft.Extensions.Diagnostics.HealthChecks;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions;

/// <summary>A registered pool.</summary>
public sealed class PoolInfo
{
    private readonly PoolHandle _handle;

    internal PoolInfo(PoolHandle handle) => _handle = handle;

    /// <summary>
    /// The name of the registration: the service key, the name of the options and of the configuration section.
    /// </summary>
    public string Name => _handle.Name;

    /// <summary>The type of the pool, for instance <see cref="ResourcePool{T}"/>.</summary>
    public Type PoolType => _handle.PoolType;

    /// <summary>The type of the items.</summary>
    public Type ItemType => _handle.ItemType;

    /// <summary>The pool. The container owns it.</summary>
    public IPool Pool => _handle.Pool;

    /// <summary>Whether the pool is being drained or has been disposed, by the host or by the app.</summary>
    /// <remarks>
    /// Of a pool of your own, it shows what the app did if its statistics set <see cref="PoolStatistics.Closed"/>.
    /// </remarks>
    public bool IsStopping => _handle.IsStopping;

    /// <summary>Why the last change of the pool's configuration was rejected.</summary>
    /// <value><c>null</c> if it was applied, or if there was none.</value>
    public string? ReloadRejection => _handle.ReloadRejection;

    /// <summary>Reads the figures that pools of all kinds have in common.</summary>
    /// <returns>The current figures.</returns>
    public PoolFigures GetFigures() => _handle.GetFigures();

    /// <summary>Judges the pool as its health check does, without having one: its state, the cause, and what to do.</summary>
    /// <param name="figures">The figures of this pool, so that a report shows those by which it was judged.</param>
    /// <returns>
    /// The status and the description, for operators. The description names figures, settings and types of exceptions, but no
    /// item, key, connection string or message of an exception. There are no data.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="figures"/> is null.</exception>
    public HealthCheckResult GetHealth(PoolFigures figures)
    {
        ArgumentNullException.ThrowIfNull(figures);
        var registration = _handle.Registration;
        var (status, description) = _handle.Judge(figures, registration.FailureStatus, registration.SaturatedStatus);
        return new HealthCheckResult(status, description);
    }
}
