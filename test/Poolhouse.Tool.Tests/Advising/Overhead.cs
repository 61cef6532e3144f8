using System.Diagnostics;
using System.Globalization;
using Poolhouse.TestSupport;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>What being sampled costs a process.</summary>
public sealed class Overhead
{
    private const double Most = 1.03;
    // Of two processes that do the same in turns on one processor, one is sampled, then the other: so what else happens on the
    // machine changes both, and the sampler, on another processor, takes no time from them. Takes a minute and a quarter for each
    // app, and is wrong by two percent unless the machine is quiet, so it is run by hand: -class "*.Overhead" -explicit on.
    // Also of interest are the apps "strings" and "one-client" at full load.
    [Theory(Explicit = true)]
    [InlineData("documents", "busy")]
    [InlineData("one-client", "half")]
    public async Task Sampling_takes_at_most_3_percent_of_the_processor_time(string app, string load)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Needs taskset.");
        await using var one = await ZooProcess.StartBusyAsync(app, load);
        await using var other = await ZooProcess.StartBusyAsync(app, load);

        // Until both have compiled all that they do: the one that is sampled first does so later.
        await RatioAsync(one, other, "7");
        await RatioAsync(other, one, "7");

        // What differs between the two processes cancels out.
        var (first, second) = (await RatioAsync(one, other, "30"), await RatioAsync(other, one, "30"));
        var mean = Math.Sqrt(first * second);
        var story = string.Create(
            CultureInfo.InvariantCulture, $"{app}, {load}: {mean:0.000}, the mean of {first:0.000} and {second:0.000}");
        TestContext.Current.SendDiagnosticMessage("{0}", story);
        Assert.True(mean <= Most, story);
    }

    /// <summary>The processor time for each operation of a process that is sampled, as a multiple of the other's.</summary>
    private static async Task<double> RatioAsync(ZooProcess sampled, ZooProcess other, string seconds)
    {
        var (before, otherBefore) = (await sampled.ReadAsync(), await other.ReadAsync());
        using (var advise = Process.Start(new ProcessStartInfo(
            "taskset", ["-c", "1", "dotnet", ToolProcess.Program, "advise", sampled.Id, "--for", seconds, "--json"])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        })!)
        {
            await advise.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            await advise.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.Equal(0, advise.ExitCode);
        }

        return CostOf(before, await sampled.ReadAsync()) / CostOf(otherBefore, await other.ReadAsync());
    }

    private static double CostOf((double Times, double Seconds) before, (double Times, double Seconds) after) =>
        (after.Seconds - before.Seconds) / (after.Times - before.Times);
}
