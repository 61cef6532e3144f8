using System.CommandLine;

namespace Poolhouse.Tool.Cli;

/// <summary>The options that say where results go, the same for each command.</summary>
internal static class ReportOptions
{
    public static Option<string> Report() => new("--report")
    {
        Description = "The folder for index.html, charts, CSV and JSON. Nothing is overwritten: if it contains an earlier "
            + "report, the next free name is used.",
        HelpName = "DIR",
        DefaultValueFactory = _ => "poolhouse-report",
    };

    public static Option<string?> Json() => new("--json")
    {
        Description = "Also write the results to this file, which must not exist.",
        HelpName = "FILE",
    };
}
