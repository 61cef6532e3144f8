namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the handlers for HTTP promise.</summary>
internal static class HttpBars
{
    private const double ShareOfAGet = 0.03;
    private const double BytesAllowed = 400;

    public const string NameOfSockets = "HTTP sockets";

    public static IReadOnlyList<Bar> All { get; } =
    [
        // The difference of two small times, measured without a network: that of two GETs would be lost in their noise.
        new(
            "HTTP bulkhead, added to a request",
            "a GET over loopback",
            ShareOfAGet,
            HttpRequests.NanosecondsAdded,
            HttpRequests.NanosecondsOfAGet,
            HttpRequests.BytesAdded)
        {
            BytesAllowed = () => BytesAllowed,
        },
        new(
            "HTTP GET through a bulkhead",
            "a GET over loopback",
            null,
            HttpRequests.NanosecondsOfAGuardedGet,
            HttpRequests.NanosecondsOfAGet,
            null),
    ];

    /// <summary>
    /// The sockets that a server sees, of a bulkhead and of shards, against those that are configured: neither more nor fewer.
    /// </summary>
    public static Outcome Sockets()
    {
        var (seen, configured) = HttpRequests.CountSockets();
        return new Outcome(
            NameOfSockets, seen, "configured", configured, Math.Max(seen / configured, configured / seen), 1, null);
    }
}
