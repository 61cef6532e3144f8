using Poolhouse.Tool.Bench.Buffers;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Databases.Studies;
using Poolhouse.Tool.Bench.Http.Studies;
using Poolhouse.Tool.Bench.Ldap.Studies;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Objects.Files;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Streams;
using Poolhouse.Tool.Bench.Streams.Pdf;
using Poolhouse.Tool.Bench.Workers.Studies;

namespace Poolhouse.Tool.Bench;

/// <summary>All experiments and scenarios, in the order in which they run.</summary>
internal static class Catalog
{
    public const string Everything = "all";
    public const string DatabaseGroup = "database";
    public const string HttpGroup = "http";
    public const string LdapGroup = "ldap";
    public const string StreamGroup = "streams";
    public const string WorkerGroup = "workers";

    public static IReadOnlyList<Study> All { get; } =
    [
        new ThreadScaling(), new RentalMatrix(), new ListSizes(), new ArraySizes(), new ArrayDepth(), new FileReading(),
        new StreamLengths(), new StreamTinyWrites(), new StreamCopies(), new ManyStreams(), new PdfPageOrder(),
        new Spike(), new Outage(), new CancelStorm(), new MassExpiry(), new SlowCreate(), new PoolSizes(),
        new DatabaseSelect(DatabaseKind.Sqlite), new DatabaseSelect(DatabaseKind.PostgreSql),
        new DatabaseSizes(DatabaseKind.Sqlite), new DatabaseSizes(DatabaseKind.PostgreSql),
        new DatabaseSpike(DatabaseKind.Sqlite), new DatabaseSpike(DatabaseKind.PostgreSql),
        new DatabaseOutage(),
        new HttpSockets(), new HttpOverload(), new HttpMove(),
        new LdapOperations(), new LdapCancellations(), new LdapRestart(),
        new WorkerThreads(), new WorkerTiny(), new WorkerStates(), new WorkerBusyNeighbour(), new WorkerBlockedNeighbour(),
    ];

    /// <summary>What the command line accepts: the groups, and all.</summary>
    public static IReadOnlyList<string> Choices { get; } = [.. All.Select(study => study.Group).Distinct(), Everything];

    /// <summary>
    /// The studies of a group; or of all groups except those that run only by name: HTTP takes long, LDAP needs a native library, and
    /// the neighbours of the workers leave the thread pool with more threads than they found.
    /// </summary>
    public static IReadOnlyList<Study> Select(string choice) =>
        [.. All.Where(study => study.Group == choice || (choice == Everything && study.Group is not (HttpGroup or LdapGroup or WorkerGroup)))];
}
