using System.Globalization;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>What being sampled costs a busy process.</summary>
public sealed class Overhead
{
    private const double Most = 1.03;
    private const int Rounds = 5;

    private static readonly TimeSpan _time = TimeSpan.FromSeconds(30);

    // Processor time for each operation, which other load on the machine changes less than the operations a second. Takes a
    // quarter of an hour on a quiet machine, so it is run by hand: -class "*.Overhead" -explicit on.
    [Theory(Explicit = true)]
    [InlineData("strings")]
    [InlineData("documents")]
    [InlineData("one-client")]
    public async Task Sampling_takes_at_most_3_percent_of_the_processor_time(string app)
    {
        await using var process = await ZooProcess.StartAsync(app, isBusy: true);
        await CostAsync(process, isSampled: false);
        var ratios = new List<double>();
        for (var round = 0; round < Rounds; round++)
        {
            var alone = await CostAsync(process, isSampled: false);
            ratios.Add(await CostAsync(process, isSampled: true) / alone);
        }

        var ratio = ratios.Order().ElementAt(Rounds / 2);
        TestContext.Current.SendDiagnosticMessage("{0}: {1:0.000} of {2}", app, ratio, string.Join(' ', ratios));
        Assert.True(ratio <= Most, string.Create(CultureInfo.InvariantCulture, $"{app}: {ratio:0.000}"));
    }

    private static async Task<double> CostAsync(ZooProcess process, bool isSampled)
    {
        var before = await process.ReadAsync();
        if (isSampled)
        {
            var seconds = _time.TotalSeconds.ToString(CultureInfo.InvariantCulture);
            Assert.Equal(0, (await ToolRun.Of("advise", process.Id, "--for", seconds, "--json")).ExitCode);
        }
        else
        {
            await Task.Delay(_time, TimeProvider.System, TestContext.Current.CancellationToken);
        }

        var after = await process.ReadAsync();
        return (after.Seconds - before.Seconds) / (after.Times - before.Times);
    }
}
