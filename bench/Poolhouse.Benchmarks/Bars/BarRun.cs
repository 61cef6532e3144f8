using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Measures every bar of objects and arrays against its rival, in turns, and says which hold.</summary>
internal static class BarRun
{
    private const int Rounds = 21;
    private static readonly TimeSpan _warmUp = TimeSpan.FromMilliseconds(350);
    private static readonly TimeSpan _round = TimeSpan.FromMilliseconds(30);
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    private static readonly IReadOnlyList<Bar> _bars =
    [
        Bar.Of<TieredPair, DefaultPair>("object get+return, 1 thread", "DefaultObjectPool", 0.45),
        Bar.Of<TieredPair, DefaultPair>("object get+return, 2 threads", "DefaultObjectPool", 0.08, threads: 2),
        Bar.Of<TieredDrain<Depth8>, DefaultDrain<Depth8>>("objects nested 8", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth64>, DefaultDrain<Depth64>>("drain+refill 64", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth256>, DefaultDrain<Depth256>>("drain+refill 256", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth1024>, DefaultDrain<Depth1024>>("drain+refill 1,024", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth2048>, DefaultDrain<Depth2048>>("drain+refill 2,048", "DefaultObjectPool", 0.45),
        Bar.Of<GuardedPair, DefaultPair>("guarded rent+dispose", "DefaultObjectPool", 0.7),
        new(
            "rent here, return there: time",
            "DefaultObjectPool",
            1,
            calls => HandOver.NanosecondsPerItem(Pools.Tiered, calls),
            calls => HandOver.NanosecondsPerItem(Pools.Default, calls),
            null),
        Bar.Of<TieredArray, SharedArray>("array rent+return", "ArrayPool.Shared", 1.1),
        Bar.Of<TieredArrays<Depth2>, SharedArrays<Depth2>>("arrays nested 2", "ArrayPool.Shared", 0.35),
        Bar.Of<TieredArrays<Depth4>, SharedArrays<Depth4>>("arrays nested 4", "ArrayPool.Shared", 0.35),
        Bar.Of<TieredArrays<Depth8>, SharedArrays<Depth8>>("arrays nested 8", "ArrayPool.Shared", 0.35),
        Bar.Of<PrivateTieredArray, CreatedArray>("private array pool, 1 thread", "ArrayPool.Create", 0.4),
        Bar.Of<PrivateTieredArray, CreatedArray>("private array pool, 2 threads", "ArrayPool.Create", 0.12, threads: 2),
    ];

    /// <returns>0 when every bar holds, 1 when one falls short, 2 for wrong arguments.</returns>
    public static int Run(string[] arguments)
    {
        string? file = null;
        if (arguments is ["--json", var path])
        {
            file = path;
        }
        else if (arguments.Length > 0)
        {
            Console.Error.WriteLine($"Unknown argument '{arguments[0]}'; allowed: --json FILE.");
            return 2;
        }

        Console.WriteLine(Machine());
        Console.WriteLine($"{"bar",-32} {"ours",9} {"rival",9} {"ratio",6} {"limit",6}  {"",-11} rival");
        var outcomes = new List<Outcome>();
        foreach (var bar in _bars)
        {
            outcomes.Add(Measure(bar));
            Print(outcomes[^1]);
        }

        outcomes.Add(HandOver.Misses());
        Print(outcomes[^1]);
        var falling = outcomes.Count(outcome => !outcome.Holds);
        Console.WriteLine(falling == 0 ? "All bars hold." : $"{falling} of {outcomes.Count} bars fall short.");
        Yardsticks.Print();
        if (file is not null)
        {
            File.WriteAllText(file, JsonSerializer.Serialize(new { machine = Machine(), outcomes }, _json));
        }

        return falling == 0 ? 0 : 1;
    }

    private static Outcome Measure(Bar bar)
    {
        // Both warm up before either is measured, until the JIT has had its last word.
        var calls = Math.Min(WarmUp(bar.MeasureOurs), WarmUp(bar.MeasureRival));
        var rounds = new List<(double Ours, double Rival)>();
        for (var round = 0; round < Rounds; round++)
        {
            rounds.Add((bar.MeasureOurs(calls), bar.MeasureRival(calls)));
        }

        return new Outcome(
            bar.Name,
            Median(rounds.Select(round => round.Ours)),
            bar.Rival,
            Median(rounds.Select(round => round.Rival)),
            Median(rounds.Select(round => round.Ours / round.Rival)),
            bar.Limit,
            bar.BytesOfOurs?.Invoke());
    }

    /// <returns>How many calls fill a round.</returns>
    private static int WarmUp(Func<int, double> measure)
    {
        var start = Stopwatch.GetTimestamp();
        double nanoseconds;
        do
        {
            nanoseconds = measure(20);
        }
        while (Stopwatch.GetElapsedTime(start) < _warmUp);

        return Math.Max(1, (int)(_round.TotalNanoseconds / (nanoseconds * Timing.PairsPerCall)));
    }

    private static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToList();
        return sorted[sorted.Count / 2];
    }

    private static void Print(Outcome outcome) => Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{outcome.Name,-32} {outcome.Ours,9:0.00##} {outcome.Rival,9:0.00} {outcome.Ratio,6:0.00} {outcome.Limit,6:0.00}  "
        + $"{(outcome.Holds ? "holds" : "falls short"),-11} {outcome.RivalName}{(outcome.Bytes is { } bytes ? $"; {bytes:0.##} B" : "")}"));

    private static string Machine() => string.Create(
        CultureInfo.InvariantCulture,
        $"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} cores, {Processor()}; nanoseconds a pair, medians of {Rounds} rounds in turns");

    private static string Processor() =>
        (File.Exists("/proc/cpuinfo") ? File.ReadLines("/proc/cpuinfo") : [])
        .FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))?.Split(':')[1].Trim()
        ?? RuntimeInformation.OSDescription;
}
