using System.Globalization;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Report;

public sealed class Formats
{
    [Fact]
    public void Json_round_trips()
    {
        var measurement = Samples.Measurement(RivalNames.Poolhouse, 12.3456, 4, "objects-matrix", "short rentals", 32, 8);
        var result = new BenchResult(
            Samples.Machine(
                ), [new ExperimentResult(new RentalMatrix(), [measurement], 1)], TimeSpan.FromSeconds(1.5), WasStopped: true);

        var read = JsonReport.Read(JsonReport.Write(result))!;

        Assert.Equal(result.Machine, read.Machine);
        Assert.Equal(1.5, read.ElapsedSeconds);
        Assert.True(read.WasStopped);
        var experiment = Assert.Single(read.Experiments);
        Assert.Equal("objects-matrix", experiment.Id);
        Assert.Equal(["max retained", "overflow"], experiment.ParameterNames);
        var back = Assert.Single(experiment.Measurements);
        Assert.Equal(measurement.Parameters, back.Parameters);
        Assert.Equal(measurement, back with { Parameters = measurement.Parameters });
    }

    [Fact]
    public void Csv_has_a_column_for_each_parameter_and_a_line_for_each_measurement()
    {
        var result = new ExperimentResult(
            new RentalMatrix(), [Samples.Measurement(RivalNames.Poolhouse, 12.3456, 4, "objects-matrix", "short rentals", 32, 8)],
            1);

        var lines = CsvReport.Write(result).TrimEnd('\n').Split('\n');
        var row = lines[0].Split(',').Zip(lines[1].Split(',')).ToDictionary(pair => pair.First, pair => pair.Second);

        Assert.Equal(2, lines.Length);
        Assert.Equal("short rentals", row["scenario"]);
        Assert.Equal("Poolhouse", row["rival"]);
        Assert.Equal("4", row["threads"]);
        Assert.Equal("32", row["max_retained"]);
        Assert.Equal("8", row["overflow"]);
        Assert.Equal(12.3456, double.Parse(row["nanoseconds"], CultureInfo.InvariantCulture));
        Assert.Equal("1", row["gen2"]);
    }

    [Fact]
    public void Csv_does_not_round_figures()
    {
        var wait = new Finding("wait", 0.0000372, Quantity.Seconds, Expectation.Less);

        var csv = CsvReport.Write(new ScenarioResult(new Spike(), [new Trial(RivalNames.Poolhouse, [], [wait])], 1));

        var value = csv.TrimEnd('\n').Split('\n')[^1].Split(',')[^1];
        Assert.Equal(wait.Value, double.Parse(value, CultureInfo.InvariantCulture));
    }

    [Fact]
    public void An_experiment_that_was_not_finished_is_not_judged()
    {
        Measurement[] measurements =
        [
            Samples.Measurement(RivalNames.NoPool, 100, 1, "objects-threads"),
            Samples.Measurement(RivalNames.Poolhouse, 10, 1, "objects-threads"),
        ];

        Assert.NotEqual(Outcome.Unknown, new ExperimentResult(new ThreadScaling(), measurements, 1).Verdict.Outcome);
        Assert.Equal(Outcome.Unknown, new ExperimentResult(new ThreadScaling(), measurements, 2).Verdict.Outcome);
    }

    [Theory]
    [InlineData("plain", "plain")]
    [InlineData("a,b", "\"a,b\"")]
    [InlineData("say \"no\"", "\"say \"\"no\"\"\"")]
    public void Csv_quotes_special_values(string field, string quoted) => Assert.Equal(quoted, CsvReport.Quote(field));

    [Fact]
    public void The_page_has_no_external_references_and_escapes_markup()
    {
        Measurement[] results =
        [
            Samples.Measurement(
                RivalNames.NoPool, 100, 1, "objects-threads"),
                Samples.Measurement(RivalNames.Poolhouse, 120, 1, "objects-threads"),
        ];
        var page = HtmlReport.Write(new BenchResult(
            Samples.Machine(
                ), [new ExperimentResult(new ThreadScaling(), results, 1)], TimeSpan.FromSeconds(3), WasStopped: false));

        Assert.Contains("Test &lt;CPU&gt; &amp; Co", page, StringComparison.Ordinal);
        Assert.DoesNotContain("src=", page, StringComparison.Ordinal);
        Assert.DoesNotContain("url(", page, StringComparison.Ordinal);
        Assert.DoesNotContain(
            "http", page.Replace("http://www.w3.org/2000/svg", "", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.Contains("in 0 of 1 cells; no pool at all was ahead in 1.", page, StringComparison.Ordinal);
    }

    [Fact]
    public void A_busy_machine_is_distinguished_from_an_idle_one()
    {
        var quiet = Samples.Measurement(RivalNames.NoPool, 100);
        var busy = quiet with { Fastest = 50, Slowest = 150 };

        Assert.Null(Noise.Warning(Result(quiet, quiet, busy)));
        Assert.Contains("3.00×", Noise.Warning(Result(quiet, busy, busy)), StringComparison.Ordinal);
        Assert.Null(Noise.Warning(Result(busy with { Rounds = 1 })));

        static BenchResult Result(params Measurement[] results) =>
            new(
                Samples.Machine(),
                [new ExperimentResult(new ThreadScaling(), results, 1)],
                TimeSpan.FromSeconds(1),
                WasStopped: false);
    }

    [Theory]
    [InlineData(0.5, "−50 %")]
    [InlineData(1, "0 %")]
    [InlineData(2, "+100 %")]
    [InlineData(31.5, "+3,050 %")]
    [InlineData(0.005, "−99.5 %")]
    public void Ratios_are_shown_as_deviations(double ratio, string text) => Assert.Equal(text, Units.Deviation(ratio));

    [Theory]
    [InlineData(7.018, "7.02 ns")]
    [InlineData(1234, "1.23 µs")]
    [InlineData(56_700_000, "56.7 ms")]
    [InlineData(2e9, "2 s")]
    public void Durations_use_a_fitting_unit(double nanoseconds, string text) =>
        Assert.Equal(text, Units.Duration(nanoseconds));

    [Fact]
    public void The_description_of_the_machine_contains_no_wall_clock_time()
    {
        var machine = Machine.Describe(new FixedClock(), "poolhouse bench");

        Assert.Equal(new DateTimeOffset(2026, 2, 3, 4, 5, 6, TimeSpan.Zero), machine.Date);
        Assert.NotEmpty(machine.Cpu);
        Assert.Contains("3 Feb 2026", machine.Caption(), StringComparison.Ordinal);
        Assert.EndsWith("poolhouse bench", machine.Caption(), StringComparison.Ordinal);
    }

    private sealed class FixedClock : TimeProvider
    {
        public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

        public override DateTimeOffset GetUtcNow() => new(2026, 2, 3, 4, 5, 6, TimeSpan.Zero);
    }
}
