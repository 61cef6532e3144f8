using System.CommandLine;
using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Tests.Cli;

/// <summary>The command below charts and in reports.</summary>
public sealed class Captions
{
    private readonly Option<string> _report = ReportOptions.Report();

    [Theory]
    [InlineData("bench objects --quick", "bench", "objects", "--quick")]
    [InlineData("bench objects --quick", "bench", "objects", "--report", "/home/me/here", "--quick")]
    [InlineData("bench objects --quick", "bench", "--report", "/home/me/here", "objects", "--quick")]
    [InlineData("bench objects --quick", "bench", "objects", "--report=/home/me/here", "--quick")]
    [InlineData("bench objects --postgres … --json x.json", "bench", "objects", "--postgres", "secret", "--json", "x.json")]
    public void The_command_is_shown_without_the_folder_of_the_report_and_without_secrets(string shown, params string[] typed)
    {
        var command = new RootCommand
        {
            new Command("bench")
            {
                new Argument<string>("experiments"),
                new Option<bool>("--quick"),
                new Option<string>("--postgres"),
                ReportOptions.Json(),
                _report,
            },
        };

        Assert.Equal("poolhouse " + shown, Secrets.CommandOf(command.Parse(typed), _report, "secret"));
    }
}
