using System.Globalization;
using Poolhouse.Extensions;

namespace Poolhouse.Http.Extensions;

internal sealed class BulkheadKind : PoolKind<Bulkhead, BulkheadOptions>
{
    // The default, which is the largest value: only the requests to each endpoint are limited.
    private static readonly int _noTotalLimit = new BulkheadOptions { MaxPerEndpoint = 1 }.MaxTotal;

    public override string Category => "Poolhouse.Http";

    public override Type ItemType => typeof(HttpRequestMessage);

    public override Type? ObserverType => typeof(BulkheadObserver);

    public override SettingsMap<BulkheadOptions> Settings => BulkheadSettings.Map;

    public override bool CanWarmUp => false;

    public override void Complete(BulkheadOptions options, PoolContext context)
    {
        options.Name ??= context.Name;
        options.TimeProvider = context.ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? context.MeterFactory : null;
        options.Observer =
            new ForwardingObserver(context.Observe((ResourcePoolObserver?)null), context.ObserversWith(options.Observer));
    }

    public override Bulkhead Create(IServiceProvider services, BulkheadOptions options) => new(options);

    public override PoolFigures GetFigures(Bulkhead pool)
    {
        var statistics = pool.GetStatistics();
        var limit = statistics.MaxLeased == _noTotalLimit ? 0 : statistics.MaxLeased;
        return new PoolFigures
        {
            MaxLeased = limit,
            Leased = statistics.Leased,
            Idle = Math.Max(0, limit - statistics.Leased),
            Waiting = statistics.Waiting,
            OldestWait = statistics.OldestWait,
            OldestLease = statistics.OldestLease,
            Timeouts = statistics.Timeouts,
            Shed = statistics.Shed,
            Suspended = statistics.Suspended,
            Leaking = statistics.Leaking,
            Condition = statistics.Condition,
        };
    }

    public override string? DescribeLimit(Bulkhead pool, BulkheadOptions options)
    {
        // Not that of the options: the app may have resized the bulkhead.
        var total = pool.GetStatistics().MaxLeased;
        return total == _noTotalLimit
            ? string.Create(CultureInfo.InvariantCulture, $"MaxPerEndpoint {options.MaxPerEndpoint}")
            : string.Create(CultureInfo.InvariantCulture, $"MaxPerEndpoint {options.MaxPerEndpoint}, MaxTotal {total}");
    }

    public override Task WarmUpAsync(Bulkhead pool, int count, CancellationToken cancellationToken) => Task.CompletedTask;

    public override Task DrainAsync(Bulkhead pool, CancellationToken cancellationToken) => pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(BulkheadOptions options, BulkheadOptions current) =>
        (options.TimeProvider, options.Meter, options.MeterFactory) = (current.TimeProvider, current.Meter, current.MeterFactory);

    public override void Reconfigure(Bulkhead pool, BulkheadOptions options) => pool.Reconfigure(options);
}
