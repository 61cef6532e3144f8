using Microsoft.Extensions.Diagnostics.HealthChecks;
using Poolhouse.Extensions.Health;
using Poolhouse.Extensions.Logging;
using Poolhouse.Kernel;

namespace Poolhouse.Extensions.Registration;

/// <summary>A registered pool in a container. Owns the pool.</summary>
internal abstract class PoolHandle(PoolRegistration registration, PoolLog log, Type itemType) : IDisposable, IAsyncDisposable
{
    private readonly SizeTotals _totals = new();
    private ResourcePoolStatistics? _sampled;
    private string? _sizeAdvice;
    private string? _rejection;
    private int _stopping;

    public PoolRegistration Registration => registration;

    public string Name => registration.Name;

    public PoolLog Log => log;

    public Type ItemType => itemType;

    public abstract IPool Pool { get; }

    public abstract Type PoolType { get; }

    /// <summary>Why the last change of the configuration was rejected; null if it was applied.</summary>
    public string? ReloadRejection
    {
        get => Volatile.Read(ref _rejection);
        protected set => Volatile.Write(ref _rejection, value);
    }

    /// <summary>The advice on the size of the pool; null where its figures do not say.</summary>
    public string? SizeAdvice => Volatile.Read(ref _sizeAdvice);

    /// <summary>Whether the pool is being drained or has been disposed, by the host or by the app.</summary>
    public bool IsStopping => Volatile.Read(ref _stopping) != 0 || Pool.GetStatistics().Closed;

    public PoolFigures GetFigures()
    {
        var figures = ReadFigures();

        // A pool of the app's own may not tell that it is stopping.
        return Volatile.Read(ref _stopping) != 0 && figures.Condition < PoolCondition.Draining
            ? figures with { Condition = figures.Leased > 0 ? PoolCondition.Draining : PoolCondition.Closed }
            : figures;
    }

    /// <summary>Adds a sample of the statistics to those that the advice on the size rests on. One call at a time.</summary>
    /// <param name="elapsed">The time since the last sample.</param>
    public void Sample(TimeSpan elapsed)
    {
        if (Pool.GetStatistics() is not ResourcePoolStatistics { Closed: false } now)
        {
            return;
        }

        if (_sampled is { } last)
        {
            _totals.Add(
                elapsed, now.MaxSize, now.Leased, now.Returned - last.Returned, now.UseTime - last.UseTime,
                now.Waits - last.Waits, now.PeakLive);
            Volatile.Write(ref _sizeAdvice, _totals.Advise());
        }

        _sampled = now;
    }

    /// <summary>Judges the pool by figures that were read before: its health, the cause and what to do.</summary>
    public (HealthStatus Status, string Description) Judge(PoolFigures figures, HealthStatus failure, HealthStatus saturated)
    {
        var status = PoolStates.GetStatus(figures, failure, saturated);
        var text = PoolStates.Explain(figures, log.DescribeLimit(Pool, figures));
        return ReloadRejection is null ? (status, text)
            : (status < HealthStatus.Degraded ? status : HealthStatus.Degraded,
                figures.Condition == PoolCondition.Working ? PoolStates.Rejected : $"{text} {PoolStates.Rejected}");
    }

    /// <summary>The largest number of items that the pool can be warmed up with; null if it is not known.</summary>
    public abstract int? MaxWarmUp { get; }

    public abstract Task WarmUpAsync(int count, CancellationToken cancellationToken);

    public async Task DrainAsync(CancellationToken cancellationToken)
    {
        Interlocked.Exchange(ref _stopping, 1);
        await DrainCoreAsync(cancellationToken).ConfigureAwait(false);
    }

    public void Dispose()
    {
        Interlocked.Exchange(ref _stopping, 1);
        StopReloading();
        (Pool as IDisposable)?.Dispose();
        EndLog();
    }

    public async ValueTask DisposeAsync()
    {
        Interlocked.Exchange(ref _stopping, 1);
        StopReloading();
        switch (Pool)
        {
            case IAsyncDisposable pool:
                await pool.DisposeAsync().ConfigureAwait(false);
                break;
            case IDisposable pool:
                pool.Dispose();
                break;
            default:
                break;
        }

        EndLog();
    }

    // A logger may throw, and must not prevent the end of the others.
    private void EndLog()
    {
        UserCode.Notify(log, Pool, static (log, pool) => log.Closed(pool));
        log.Dispose();
    }

    protected abstract PoolFigures ReadFigures();

    protected abstract Task DrainCoreAsync(CancellationToken cancellationToken);

    protected abstract void StopReloading();
}
