using Poolhouse.Extensions;

namespace Poolhouse.Http.Extensions;

/// <summary>The settings of bulkheads.</summary>
internal static class BulkheadSettings
{
    public static SettingsMap<BulkheadOptions> Map { get; } = new SettingsMap<BulkheadOptions>()
        .WholeNumber(nameof(BulkheadOptions.MaxPerEndpoint), o => o.MaxPerEndpoint, (o, value) => o.MaxPerEndpoint = value)
        .WholeNumber(nameof(BulkheadOptions.MaxTotal), o => o.MaxTotal, (o, value) => o.MaxTotal = value)
        .Limit(nameof(BulkheadOptions.MaxWaiters), o => o.MaxWaiters, (o, value) => o.MaxWaiters = value)
        .Duration(nameof(BulkheadOptions.RentTimeout), o => o.RentTimeout, (o, value) => o.RentTimeout = value)
        .Duration(nameof(BulkheadOptions.LeakThreshold), o => o.LeakThreshold, (o, value) => o.LeakThreshold = value)
        .Overload(nameof(BulkheadOptions.Overload), o => o.Overload, (o, value) => o.Overload = value);
}
