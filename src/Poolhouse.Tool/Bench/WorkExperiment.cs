using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>The base class of experiments with real work: speed, bytes, collections and pauses.</summary>
internal abstract class WorkExperiment : Experiment
{
    /// <summary>What a round is, after "per".</summary>
    protected abstract string RoundName { get; }

    /// <summary>The message if nothing was measured.</summary>
    protected virtual string NotMeasured => "Not measured.";

    protected abstract string SpeedTitle { get; }

    protected abstract string SpeedUnit { get; }

    protected abstract double Speed(Measurement result);

    protected abstract string SpeedText(double speed);

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cells = Results.Cells(results)
            .Where(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool) is not null)
            .OrderBy(cell => cell[0].Threads)
            .ToList();
        if (cells.Count == 0)
        {
            return new Verdict(Outcome.Unknown, NotMeasured);
        }

        double RatioOf(IReadOnlyList<Measurement> cell) => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool)!.Value;
        var from = Crossover.From(cells.Select(cell => ((long)cell[0].Threads, RatioOf(cell))));
        var fresh = Results.Of(cells[^1], RivalNames.NoPool)!;
        var pooled = Results.Of(cells[^1], RivalNames.Poolhouse)!;
        var memory = $"bytes allocated fall from {Units.Bytes(fresh.BytesPerOperation)} "
            + $"to {Units.Bytes(pooled.BytesPerOperation)} a {OperationName}";
        var time = $"time {Units.Deviation(pooled.Nanoseconds / fresh.Nanoseconds)} with {Units.Threads(pooled.Threads)}";
        return from switch
        {
            { } threads => new Verdict(
                threads == cells[0][0].Threads ? Outcome.Pays : Outcome.Depends,
                $"Pooling pays from {Units.Threads((int)threads)} on: {time}; {memory}."),
            null when cells.TrueForAll(cell => RatioOf(cell) <= Losses.Margin)
                && pooled.BytesPerOperation < fresh.BytesPerOperation =>
                new Verdict(Outcome.Depends, $"Pooling saves memory but no time ({time}): {memory}."),
            _ => new Verdict(Outcome.DoesNotPay, $"Pooling saves no time ({time}), although {memory}."),
        };
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results) => results.Count == 0
        ? []
        :
        [
            new("",
            [
                Bars(results, "speed", SpeedTitle, SpeedUnit, Speed, SpeedText),
                Bars(
                    results,
                    "bytes",
                    "Allocated (less is better)",
                    $"bytes per {OperationName}",
                    result => result.BytesPerOperation,
                    Units.Bytes),
                Bars(
                    results,
                    "collections",
                    "Garbage collections (fewer is better)",
                    $"collections per {RoundName}",
                    Collections,
                    Units.Digits),
                Bars(
                    results,
                    "pause",
                    "Pauses (shorter is better)",
                    $"milliseconds per {RoundName}",
                    Pause,
                    value => $"{Units.Digits(value)} ms"),
            ]),
        ];

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        new(
            $"A {RoundName}",
            ["Threads", "Source", SpeedUnit, $"Allocated/{OperationName}", "GC 0/1/2", "Pause"],
            [.. results.Select(result => (IReadOnlyList<string>)
            [
                Units.Count(result.Threads),
                result.Rival,
                Units.Digits(Speed(result)),
                Units.Bytes(result.BytesPerOperation),
                $"{PerRound(result, result.Gen0)}/{PerRound(result, result.Gen1)}/{PerRound(result, result.Gen2)}",
                $"{Units.Digits(Pause(result))} ms",
            ])]),
    ];

    private static double Collections(Measurement result) => (result.Gen0 + result.Gen1 + result.Gen2) / (double)result.Rounds;

    private static double Pause(Measurement result) => result.PauseMilliseconds / result.Rounds;

    private static string PerRound(Measurement result, int count) => Units.Digits(count / (double)result.Rounds);

    private BarChart Bars(
        IReadOnlyList<Measurement> results,
        string part,
        string title,
        string unit,
        Func<Measurement, double> value,
        Func<double, string> text)
    {
        Series[] series =
        [
            .. Results.RivalsIn(results).Select(rival => new Series(
                rival,
                RivalNames.ColourOf(rival),
                [.. results.Where(result => result.Rival == rival).Select(PointOf)])),
        ];
        return new BarChart
        {
            Id = $"{Id}-{part}",
            Title = title,
            Description = $"{title}: {unit}, a bar for each rival, grouped by threads.",
            Values = part == "bytes"
                ? Axis.Linear(unit, results.Max(value), Units.Bytes, Units.ByteUnit(results.Max(value)))
                : Axis.Linear(unit, results.Max(value), Units.Digits),
            Series = series,
            RowTitle = "threads",
            RowLabel = threads => Units.Threads((int)threads),
        };

        Point PointOf(Measurement result) => new(result.Threads, value(result), text(value(result)));
    }
}
