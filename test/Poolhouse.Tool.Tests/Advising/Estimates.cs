using System.Text.Json;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>The estimates of advice, compared with what the recommended change saves.</summary>
public sealed class Estimates
{
    private const double Factor = 1.5;
    private const int Times = 400;

    public static TheoryData<string> Apps => ["exports", "frames", "documents", "mails", "parsers", "api-client"];

    [Theory]
    [MemberData(nameof(Apps))]
    public async Task An_estimate_is_right_within_a_factor(string app)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The apps use addresses that only Linux has by itself.");
        double before, after;
        string quantity;
        await using (var process = await ZooProcess.StartAsync(app))
        {
            var run = await ToolRun.Of("advise", process.Id, "--for", "4", "--json");
            Assert.True(run.ExitCode == 0, run.Error);
            using var json = JsonDocument.Parse(run.Output);
            var estimate = json.RootElement.GetProperty("findings").EnumerateArray().Single().GetProperty("estimate");
            before = estimate.GetProperty("before").GetDouble();
            after = estimate.GetProperty("after").GetDouble();
            quantity = estimate.GetProperty("quantity").GetString()!;
        }

        var unchanged = await ZooProcess.MeasureAsync(app, Times, isFixed: false);
        var changed = await ZooProcess.MeasureAsync(app, Times, isFixed: true);
        var (had, has) = quantity.StartsWith("allocated", StringComparison.Ordinal)
            ? (unchanged.Bytes, changed.Bytes) : (unchanged.Connections, changed.Connections);

        // Of the same load: a second in the sample, one time in the measurement.
        var (estimated, saved) = ((before - after) / before, (had - has) / had);
        Assert.InRange(estimated, saved / Factor, saved * Factor);
        Assert.True(saved > 0.5, $"Only {saved:P0} was saved.");
    }
}
