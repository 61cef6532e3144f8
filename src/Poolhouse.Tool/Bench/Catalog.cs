using Poolhouse.Tool.Bench.Buffers;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Databases.Studies;
using Poolhouse.Tool.Bench.Fleets;
using Poolhouse.Tool.Bench.Growth;
using Poolhouse.Tool.Bench.Http.Studies;
using Poolhouse.Tool.Bench.Ldap.Studies;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Objects.Files;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Streams;
using Poolhouse.Tool.Bench.Streams.Pdf;
using Poolhouse.Tool.Bench.Web;
using Poolhouse.Tool.Bench.Workers.Studies;

namespace Poolhouse.Tool.Bench;

/// <summary>All experiments and scenarios, in the order in which they run.</summary>
internal static class Catalog
{
    public const string Everything = "all";
    public const string DatabaseGroup = "database";
    public const string FleetGroup = "fleet";
    public const string GrowthGroup = "growth";
    public const string HttpGroup = "http";
    public const string LdapGroup = "ldap";
    public const string StreamGroup = "streams";
    public const string WebGroup = "web";
    public const string WorkerGroup = "workers";

    /// <summary>Each study, and about how many seconds it takes on 2 cores.</summary>
    private static readonly (Study Study, int Seconds)[] _studies =
    [
        (new ThreadScaling(), 10), (new RentalMatrix(), 35), (new ListSizes(), 25), (new ArraySizes(), 17), (new ArrayDepth(), 5),
        (new FileReading(), 6), (new StreamLengths(), 8), (new StreamTinyWrites(), 6), (new StreamCopies(), 4),
        (new ManyStreams(), 1), (new PdfPageOrder(), 2),
        (new Spike(), 2), (new Outage(), 9), (new CancelStorm(), 5), (new MassExpiry(), 11), (new SlowCreate(), 5),
        (new PoolSizes(), 10),
        (new DatabaseSelect(DatabaseKind.Sqlite), 2), (new DatabaseSelect(DatabaseKind.PostgreSql), 10),
        (new DatabaseSelect(DatabaseKind.SqlServer), 30),
        (new DatabaseSelect(DatabaseKind.MySql), 10), (new DatabaseSelect(DatabaseKind.Odbc), 10),
        (new DatabaseSelect(DatabaseKind.DuckDb), 10), (new DatabaseSelect(DatabaseKind.Firebird), 20),
        (new DatabaseSizes(DatabaseKind.Sqlite), 7), (new DatabaseSizes(DatabaseKind.PostgreSql), 6),
        (new DatabaseSpike(DatabaseKind.Sqlite), 2), (new DatabaseSpike(DatabaseKind.PostgreSql), 3),
        (new DatabaseOutage(), 11),
        (new HttpSockets(), 3), (new HttpOverload(), 11), (new HttpMove(), 12),
        (new LdapOperations(), 9), (new LdapCancellations(), 6), (new LdapRestart(), 8),
        (new WorkerThreads(), 10), (new WorkerTiny(), 3), (new WorkerStates(), 6), (new WorkerBusyNeighbour(), 11),
        (new WorkerBlockedNeighbour(), 11),
        (new GrowthOfPools(), 20),
        (new WebDatabase("web-single", "single query", "/db"), 65),
        (new WebDatabase("web-queries", "20 queries", "/queries?queries=20"), 65),
        (new WebDatabase("web-fortunes", "fortunes", "/fortunes"), 65),
        (new WebDatabase("web-updates", "20 updates", "/updates?queries=20"), 65),
        (new FleetFaults(), 140), (new FleetBeats(), 35),
    ];

    public static IReadOnlyList<Study> All { get; } = [.. _studies.Select(each => each.Study)];

    /// <summary>The groups, and all.</summary>
    public static IReadOnlyList<string> Choices { get; } = [.. All.Select(study => study.Group).Distinct(), Everything];

    /// <summary>The names that the command line accepts: the groups, all, and each study.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Choices, .. All.Select(study => study.Id).Except(Choices)];

    /// <summary>The studies of groups, and those of the names; of <see cref="Everything"/>, all but those that run only by
    /// name.</summary>
    public static IReadOnlyList<Study> Select(params IReadOnlyList<string> choices) =>
        [.. All.Where(study => choices.Any(
            choice => study.Group == choice || study.Id == choice || (choice == Everything && IsInDefault(study.Group))))];

    /// <summary>About how long a study takes on 2 cores, without <c>--quick</c>.</summary>
    public static TimeSpan UsualTime(Study study) =>
        TimeSpan.FromSeconds(_studies.Single(each => each.Study.Id == study.Id).Seconds);

    /// <summary>
    /// Whether a group runs by default. HTTP takes long, LDAP needs a native library, the neighbours of the workers leave
    /// additional threads in the thread pool, growth has no rivals, web needs wrk, and a fleet needs minutes.
    /// </summary>
    public static bool IsInDefault(string group) =>
        group is not (HttpGroup or LdapGroup or WorkerGroup or GrowthGroup or WebGroup or FleetGroup);
}
