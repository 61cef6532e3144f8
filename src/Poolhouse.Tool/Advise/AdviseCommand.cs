using System.CommandLine;
using Poolhouse.Tool.Watch;
using Spectre.Console;

namespace Poolhouse.Tool.Advise;

/// <summary>The command <c>advise</c>: says what is worth pooling in a running process, and what is not.</summary>
internal sealed class AdviseCommand : Command
{
    private const double ShortestTime = 1;
    private const double LongestTime = 3600;

    private readonly Argument<int?> _target = new("PID")
    {
        Description = "The process: any .NET process, with or without Poolhouse. By default the only one that there is.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<double> _time = new("--for")
    {
        Description = $"How many seconds to sample, {Units.Count(ShortestTime)} to {Units.Count(LongestTime)}.",
        HelpName = "N",
        DefaultValueFactory = _ => 30,
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print the advice as JSON." };

    private readonly Option<string?> _html = new("--html")
    {
        Description = "Also write the advice to this file as a page. The file must not exist.",
        HelpName = "FILE",
    };

    public AdviseCommand(IAnsiConsole console)
        : base("advise", "Sample a running process, and say what in it is worth pooling and what is not. Changes nothing.")
    {
        Add(_target);
        Add(_time);
        Add(_json);
        Add(_html);
        SetAction((result, cancellation) => new AdviseRun(Read(result), console).RunAsync(cancellation));
    }

    /// <exception cref="UsageException">A value is out of its range, or there is no process or no place for the page.</exception>
    private AdviseRequest Read(ParseResult result)
    {
        var time = result.GetValue(_time);
        if (!(time is >= ShortestTime and <= LongestTime))
        {
            throw new UsageException(
                $"--for {Units.Count(time)} is outside {Units.Count(ShortestTime)} to {Units.Count(LongestTime)}.");
        }

        var html = result.GetValue(_html);
        CheckPage(html);
        return new AdviseRequest
        {
            Pid = result.GetValue(_target) ?? TheOnlyOne(),
            Time = TimeSpan.FromSeconds(time),
            Json = result.GetValue(_json),
            Html = html,
        };
    }

    private static int TheOnlyOne() => Targets.List() switch
    {
        [var pid] => pid,
        [] => throw new UsageException("There is no .NET process that this user may inspect."),
        var several => throw new UsageException(
            $"There are several .NET processes: {string.Join(", ", several.Select(Targets.TitleOf))}. Specify one."),
    };

    // Known before the time is spent.
    private static void CheckPage(string? file)
    {
        if (file is null)
        {
            return;
        }

        if (string.IsNullOrWhiteSpace(file) || Directory.Exists(file))
        {
            throw new UsageException($"--html '{file}' is not the name of a file.");
        }

        if (File.Exists(file))
        {
            throw new UsageException($"--html '{file}' exists; nothing is overwritten. Specify another file, or move it away.");
        }

        if (Path.GetDirectoryName(Path.GetFullPath(file)) is { } folder && !Directory.Exists(folder))
        {
            throw new UsageException($"--html '{file}': the folder '{folder}' does not exist.");
        }
    }
}
