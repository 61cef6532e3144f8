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
    private const long ThreadsCreated = 0x800;
    private const long ThreadsWithCreators = 0x10000;

    private static readonly Dictionary<string, string> _everySecond = new(StringComparer.Ordinal)
    {
        ["EventCounterIntervalSec"] = "1",
    };

    public static IReadOnlyList<EventPipeProvider> Threads { get; } =
        [new(Runtime, EventLevel.Informational, ThreadsCreated)];

    /// <summary>What costs next to nothing: for the whole time.</summary>
    public static IReadOnlyList<EventPipeProvider> Lasting { get; } =
    [
        .. Threads,

        // Only their counters, which have no level: their events have the text of each statement.
        new(Npgsql, EventLevel.Critical, arguments: _everySecond),
        new(SqlClient, EventLevel.Critical, arguments: _everySecond),
        new(EntityFramework, EventLevel.Critical, arguments: _everySecond),
    ];

    public static IReadOnlyList<EventPipeProvider> Collections { get; } =
        [new(Runtime, EventLevel.Informational, GarbageCollections)];

    public static IReadOnlyList<EventPipeProvider> Openings { get; } =
        [new(Sockets, EventLevel.Informational), new(Names, EventLevel.Informational)];

    public static IReadOnlyList<EventPipeProvider> Requests { get; } = [new(Http, EventLevel.Informational)];

    /// <summary>Where connections are opened and threads created.</summary>
    // Without HTTP, whose events have the paths of requests: traces with stacks are written to files.
    public static IReadOnlyList<EventPipeProvider> OpeningsWithStacks { get; } =
        [new(Runtime, EventLevel.Informational, ThreadsWithCreators), new(Sockets, EventLevel.Informational)];

    /// <summary>For a moment only: at any level, each rent of the process pays for it.</summary>
    public static IReadOnlyList<EventPipeProvider> Rents { get; } = [new(ArrayPool, EventLevel.Verbose)];

    /// <param name="isRandom">Whether the process is known to sample its allocations at random.</param>
    public static IReadOnlyList<EventPipeProvider> Allocations(bool isRandom) => isRandom
        ? [new(Runtime, EventLevel.Informational, AllocationSampling)]
        : [new(Runtime, EventLevel.Verbose, AllocationSampling | GarbageCollections)];
}
