using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>What the command answers when it cannot advise, and where its page goes.</summary>
public sealed class Answers
{
    [Fact]
    public async Task What_cannot_be_sampled_is_explained()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The program is one of Linux.");
        using var sleeping = Process.Start("sleep", ["60"]);
        var id = sleeping.Id.ToString(CultureInfo.InvariantCulture);
        try
        {
            var run = await ToolRun.Of("advise", id, "--json");
            Assert.Equal(
                (2, $"Process {id} (sleep) is not a .NET process, or it was compiled to native code without EventSourceSupport.\n"),
                (run.ExitCode, run.Error));
        }
        finally
        {
            sleeping.Kill();
        }

        await sleeping.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.StartsWith($"There is no process {id}.", (await ToolRun.Of("advise", id)).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_time_or_a_file_that_cannot_be_is_rejected_before_the_time_is_spent()
    {
        using var folder = new TemporaryFolder();
        var page = folder.At("page.html");
        await File.WriteAllTextAsync(page, "mine", TestContext.Current.CancellationToken);
        Assert.Equal("--for 0.5 is outside 1 to 3,600.\n", (await ToolRun.Of("advise", "1", "--for", "0.5")).Error);
        Assert.StartsWith(
            $"--html '{page}' exists; nothing is overwritten.", (await ToolRun.Of("advise", "1", "--html", page)).Error,
            StringComparison.Ordinal);
        Assert.Contains(
            "does not exist.", (await ToolRun.Of("advise", "1", "--html", folder.At("none/page.html"))).Error,
            StringComparison.Ordinal);
        Assert.Equal("mine", await File.ReadAllTextAsync(page, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task The_text_and_the_page_have_the_finding_with_its_method_and_its_code()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The apps use addresses that only Linux has by itself.");
        using var folder = new TemporaryFolder();
        var page = folder.At("page.html");
        await using var app = await ZooProcess.StartAsync("frames");
        var run = await ToolRun.Of("advise", app.Id, "--for", "5", "--html", page);
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        foreach (var text in (string[])[run.Output, await File.ReadAllTextAsync(page, TestContext.Current.CancellationToken)])
        {
            Assert.Contains("Rent the byte arrays instead of creating them", text, StringComparison.Ordinal);
            Assert.Contains("in Zoo.Apps.VideoFrames.DoAsync", text, StringComparison.Ordinal);
            Assert.Contains(".Shared.Rent(length)", text, StringComparison.Ordinal);
        }
    }
}
