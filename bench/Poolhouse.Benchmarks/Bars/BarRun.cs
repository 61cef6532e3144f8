using System.Diagnostics;
using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Measures every bar against its rival, in turns, and says which hold.</summary>
internal static class BarRun
{
    private const int Rounds = 21;
    private static readonly TimeSpan _warmUp = TimeSpan.FromMilliseconds(350);
    private static readonly TimeSpan _longestWarmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan _quiet = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan _round = TimeSpan.FromMilliseconds(30);
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    // Not times a pair.
    private static readonly IReadOnlyList<(string Name, Func<Outcome> Measure)> _others =
    [
        (HandOver.NameOfMisses, HandOver.Misses),
        (HttpBars.NameOfSockets, HttpBars.Sockets),
        (OutageBar.Name, OutageBar.Measure),
        (WatcherBars.Name, WatcherBars.Measure),
        (WatcherBars.NameInDetail, WatcherBars.MeasureInDetail),
    ];

    private static readonly IReadOnlyList<Bar> _bars =
    [
        .. CacheBars.All, .. ParanoidBars.All, .. StreamBars.All, .. ResourceBars.All, .. WatchBars.All, .. HttpBars.All,
        .. WorkerBars.All,
    ];

    /// <returns>0 when every bar holds, 1 when one falls short, 2 for wrong arguments.</returns>
    public static int Run(string[] arguments)
    {
        string? file = null;
        var only = "";
        for (var i = 0; i < arguments.Length; i += 2)
        {
            switch (arguments[i..])
            {
                case ["--json", var path, ..]:
                    file = path;
                    break;
                case ["--only", var text, ..]:
                    only = text;
                    break;
                default:
                    Console.Error.WriteLine($"Unknown argument '{arguments[i]}'; allowed: --json FILE, --only TEXT.");
                    return 2;
            }
        }

        Console.WriteLine(Machine());
        Console.WriteLine($"{"bar",-32} {"ours",9} {"rival",9} {"ratio",6} {"limit",6} {"bare",6}  {"",-11} rival");
        var outcomes = new List<Outcome>();
        var stops = new List<Action>();
        foreach (var bar in Select(only, stops))
        {
            outcomes.Add(Measure(bar));
            Print(outcomes[^1]);
        }

        foreach (var (_, measure) in _others.Where(other => Matches(other.Name, only)))
        {
            outcomes.Add(measure());
            Print(outcomes[^1]);
        }

        HttpRequests.Stop();
        stops.ForEach(stop => stop());
        var falling = outcomes.Count(outcome => !outcome.Holds);
        Console.WriteLine(falling == 0 ? "All bars hold." : $"{falling} of {outcomes.Count} bars fall short.");
        if (file is not null)
        {
            File.WriteAllText(file, JsonSerializer.Serialize(new { machine = Machine(), outcomes }, _json));
        }

        return falling == 0 ? 0 : 1;
    }

    private static IEnumerable<Bar> Select(string only, List<Action> stops)
    {
        return
        [
            .. Matching(_bars),
            .. OnAServer(
                "databases", Matching(DatabaseBars.All), () => DatabasePools.WhyNot, DatabasePools.Start, DatabasePools.Stop),
            .. OnAServer("SQL Server", Matching(SqlServerBars.All), () => null, SqlServerBars.Start, SqlServerBars.Stop),
            .. OnAServer("LDAP", Matching(LdapBars.All), () => LdapPools.WhyNot, LdapPools.Start, LdapPools.Stop),
        ];

        List<Bar> Matching(IReadOnlyList<Bar> bars) =>
            [.. bars.Where(bar => Matches(bar.Name, only) || Matches(bar.Rival, only))];

        // Pools that no bar uses are not touched, not even disposed: the first access starts the server.
        List<Bar> OnAServer(string things, List<Bar> bars, Func<string?> whyNot, Action start, Action stop)
        {
            if (bars.Count == 0)
            {
                return bars;
            }

            if (whyNot() is { } reason)
            {
                Console.WriteLine($"The bars of {things} are skipped: {reason}.");
                return [];
            }

            // Before the first warm-up, which would otherwise be over when the server is up.
            stops.Add(stop);
            start();
            return bars;
        }
    }

    private static bool Matches(string name, string only) => name.Contains(only, StringComparison.OrdinalIgnoreCase);

    private static Outcome Measure(Bar bar)
    {
        // Both warm up before either is measured, until the JIT has finished.
        var calls = Math.Min(WarmUp(bar, bar.MeasureOurs), WarmUp(bar, bar.MeasureRival));
        if (bar.MeasureBareStack is { } bare)
        {
            WarmUp(bar, bare);
        }

        var rounds = new List<(double Ours, double Rival, double? BareStack)>();
        for (var round = 0; round < Rounds; round++)
        {
            // In turns, so that neither side always starts in the state that the other one left behind.
            var first = round % 2 == 0 ? bar.MeasureOurs(calls) : bar.MeasureRival(calls);
            var second = round % 2 == 0 ? bar.MeasureRival(calls) : bar.MeasureOurs(calls);
            rounds.Add((round % 2 == 0 ? first : second, round % 2 == 0 ? second : first, bar.MeasureBareStack?.Invoke(calls)));
        }

        var waits = bar.Waits?.Invoke();
        return new Outcome(
            bar.Name,
            Timing.Median(rounds.Select(round => round.Ours)),
            bar.Rival,
            Timing.Median(rounds.Select(round => round.Rival)),
            Timing.Median(rounds.Select(round => round.Ours / round.Rival)),
            bar.Limit,
            bar.BytesOfOurs?.Invoke())
        {
            BytesAllowed = bar.BytesAllowed?.Invoke() ?? 0,
            BareStack = bar.MeasureBareStack is null ? null : Timing.Median(rounds.Select(round => round.BareStack!.Value)),
            RatioToBareStack =
                bar.MeasureBareStack is null ? null : Timing.Median(rounds.Select(round => round.Ours / round.BareStack!.Value)),
            Waits = waits?.Ours,
            WaitsOfRival = waits?.Rival,
            Remark = bar.Remark?.Invoke(),
        };
    }

    /// <returns>How many calls fill a round.</returns>
    private static int WarmUp(Bar bar, Func<int, double> measure)
    {
        // On a busy machine the JIT, which works in the background, comes late: no new methods for a while is the best sign
        // that it is done.
        var start = Stopwatch.GetTimestamp();
        var lastChange = start;
        var compiled = 0L;
        double nanoseconds;
        do
        {
            nanoseconds = measure(20);
            var now = JitInfo.GetCompiledMethodCount(currentThread: false);
            lastChange = now == compiled ? lastChange : Stopwatch.GetTimestamp();
            compiled = now;
        }
        while (Stopwatch.GetElapsedTime(start) < _warmUp
            || (Stopwatch.GetElapsedTime(lastChange) < _quiet && Stopwatch.GetElapsedTime(start) < _longestWarmUp));

        return Math.Max(1, (int)(_round.TotalNanoseconds / (nanoseconds * bar.PairsPerCall)));
    }

    private static void Print(Outcome outcome) => Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{outcome.Name,-32} {outcome.Ours,9:0.00##} {outcome.Rival,9:0.00} {outcome.Ratio,6:0.00} {outcome.Limit,6:0.00} "
        + $"{outcome.RatioToBareStack,6:0.00}  {outcome.Verdict,-11} {outcome.RivalName}{Bytes(outcome)}{Waits(outcome)}"
        + $"{(outcome.Remark is null ? "" : "; ")}{outcome.Remark}"));

    private static string Bytes(Outcome outcome) => string.Create(
        CultureInfo.InvariantCulture,
        $"{outcome.Bytes switch { null => "", { } bytes => $"; {bytes:0.##} B" }}"
        + $"{(outcome.BytesAllowed > 0 ? $" of {outcome.BytesAllowed:0.##}" : "")}");

    private static string Waits(Outcome outcome) => outcome.Waits is null
        ? ""
        : string.Create(CultureInfo.InvariantCulture, $"; waits a rent {outcome.Waits:0.00} and {outcome.WaitsOfRival:0.00}");

    private static string Machine() => string.Create(
        CultureInfo.InvariantCulture,
        $"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} " +
        $"cores, {Processor()}; nanoseconds a pair, medians of {Rounds} rounds in turns");

    private static string Processor() =>
        (File.Exists("/proc/cpuinfo") ? File.ReadLines("/proc/cpuinfo") : [])
        .FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))?.Split(':')[1].Trim()
        ?? RuntimeInformation.OSDescription;
}
