using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Http.Extensions;

/// <summary>The settings of bulkheads.</summary>
internal static class BulkheadSettings
{
    public static SettingsMap<BulkheadOptions> Map { get; } = new SettingsMap<BulkheadOptions>()
        .Integer(nameof(BulkheadOptions.MaxPerEndpoint), o => o.MaxPerEndpoint, (o, value) => o.MaxPerEndpoint = value)
        .Integer(nameof(BulkheadOptions.MaxTotal), o => o.MaxTotal, (o, value) => o.MaxTotal = value)
        .Limit(nameof(BulkheadOptions.MaxWaiters), o => o.MaxWaiters, (o, value) => o.MaxWaiters = value)
        .Duration(nameof(BulkheadOptions.RentTimeout), o => o.RentTimeout, (o, value) => o.RentTimeout = value)
        .Duration(nameof(BulkheadOptions.LeakThreshold), o => o.LeakThreshold, (o, value) => o.LeakThreshold = value)
        .Section(
            nameof(BulkheadOptions.Overload),
            CoreSettings.Overload,
            o => o.Overload,
            o => o.Overload ??= new OverloadOptions(),
            o => o.Overload = null);
}
