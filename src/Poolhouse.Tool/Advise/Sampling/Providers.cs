using System.Diagnostics.Tracing;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>What a sampled process is asked to report.</summary>
internal static class Providers
{
    public const string Runtime = "Microsoft-Windows-DotNETRuntime";
    public const string Http = "System.Net.Http";
    public const string Sockets = "System.Net.Sockets";
    public const string Names = "System.Net.NameResolution";
    public const string ArrayPool = "System.Buffers.ArrayPoolEventSource";
    public const string Npgsql = "Npgsql";
    public const string SqlClient = "Microsoft.Data.SqlClient.EventSource";
    public const string EntityFramework = "Microsoft.EntityFrameworkCore";

    private const long GarbageCollections = 0x1;
    private const long AllocationSampling = 0x80000000000;
    private const long Threads = 0x800;
    private const long ThreadsWithCreators = 0x10000;

    private static readonly Dictionary<string, string> _everySecond = new(StringComparer.Ordinal)
    {
        ["EventCounterIntervalSec"] = "1",
    };

    public static IReadOnlyList<EventPipeProvider> Rare { get; } =
    [
        new(Runtime, EventLevel.Informational, GarbageCollections | Threads),
        new(Sockets, EventLevel.Informational),
        new(Names, EventLevel.Informational),

        // Only their counters: their events have the text of each statement.
        new(Npgsql, EventLevel.LogAlways, arguments: _everySecond),
        new(SqlClient, EventLevel.LogAlways, arguments: _everySecond),
        new(EntityFramework, EventLevel.LogAlways, arguments: _everySecond),
    ];

    /// <summary>What may happen very often.</summary>
    /// <param name="isRandom">Whether the process is known to sample its allocations at random.</param>
    public static IReadOnlyList<EventPipeProvider> Frequent(bool isRandom) =>
        [AllocationsOf(isRandom, 0), new(Http, EventLevel.Informational)];

    /// <summary>Without HTTP, whose events have the paths of requests: this trace is written to a file.</summary>
    /// <param name="isRandom">As in <see cref="Frequent"/>.</param>
    public static IReadOnlyList<EventPipeProvider> WithStacks(bool isRandom) =>
        [AllocationsOf(isRandom, ThreadsWithCreators), new(Sockets, EventLevel.Informational)];

    /// <summary>For a moment only: at any level, each rent of the process pays for it.</summary>
    public static IReadOnlyList<EventPipeProvider> Rents { get; } = [new(ArrayPool, EventLevel.Verbose)];

    private static EventPipeProvider AllocationsOf(bool isRandom, long keywords) => isRandom
        ? new(Runtime, EventLevel.Informational, AllocationSampling | keywords)
        : new(Runtime, EventLevel.Verbose, AllocationSampling | GarbageCollections | keywords);
}
