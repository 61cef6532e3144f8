namespace Poolhouse.Metrics;

/// <summary>The lists in a snapshot as text: one entry a line, what is free text last.</summary>
internal static class SnapshotText
{
    /// <summary>The labels with the most leases: <c>6 GET /orders</c>.</summary>
    public static string HoldersOf(IReadOnlyList<LeaseSnapshot> leases) => Lines(leases
        .GroupBy(static lease => lease.Label ?? "", StringComparer.Ordinal)
        .OrderByDescending(static holder => holder.Count()).Select(static holder => $"{holder.Count()} {OneLine(holder.Key)}"));

    /// <summary>
    /// The oldest leases, with their age in microseconds, their item and trace: <c>41230000 3 0af7… GET /orders</c>.
    /// </summary>
    public static string OldestOf(IReadOnlyList<LeaseSnapshot> leases) => Lines(leases.Select(static lease =>
        $"{(long)lease.LeasedFor.TotalMicroseconds} {lease.ItemNumber} " +
        $"{(lease.TraceId == default ? "-" : lease.TraceId.ToHexString())} {OneLine(lease.Label ?? "")}"));

    /// <summary>A histogram: the buckets that are not empty, as <c>14:3 15:20</c>.</summary>
    public static string Of(long[]? histogram) => string.Join(
        ' ',
        (histogram ?? []).Index().Where(static bucket => bucket.Item > 0)
            .Select(static bucket => $"{bucket.Index}:{bucket.Item}"));

    /// <summary>
    /// The servers, with their items, failures in a row, microseconds down and until the re-check, and the type of the last
    /// failure: <c>Avoided Unknown 0 3 41230000 2000000 System.IO.IOException db1:5432</c>.
    /// </summary>
    public static string Of(IReadOnlyList<ServerStatistics<string>> servers) => Lines(servers.Select(static server =>
        $"{server.Health} {server.Role} {server.Items} {server.FailuresInRow} {(long)server.DownFor.TotalMicroseconds} " +
        $"{(long)server.RecheckIn.TotalMicroseconds} {server.LastFailure?.GetType().ToString() ?? "-"} " +
        OneLine(server.Server)), most: 20);

    // An event that is too long would not be written, and its pool would not be seen.
    private static string Lines(IEnumerable<string> entries, int most = 5) => string.Join('\n', entries.Take(most));

    private static string OneLine(string text) => text.ReplaceLineEndings(" ");
}
