using System.CommandLine;
using System.Globalization;
using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Watch;

/// <summary>The command <c>watch</c> and its options.</summary>
internal sealed class WatchCommand : Command
{
    private const double ShortestInterval = 0.1;
    private const double LongestInterval = 3600;

    private readonly Argument<string?> _target = new("target")
    {
        Description = "The process id, or a recorded trace (.nettrace). Not needed if only one process has pools.",
        HelpName = "PID|FILE",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<bool> _once = new("--once")
    {
        Description = "Print the state of the pools once, after two intervals.",
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print JSON, one line for each picture." };

    private readonly Option<bool> _plain = new("--plain") { Description = "Print text without control characters." };

    private readonly Option<bool> _wait = new("--wait")
    {
        Description = "Wait until a process with pools has started, and for its successor when it has ended.",
    };

    private readonly Option<string?> _port = new("--diagnostic-port")
    {
        Description = "The diagnostic port (a socket or a pipe) of a process that cannot be found by its id.",
        HelpName = "PATH",
    };

    private readonly Option<double> _interval = new("--interval")
    {
        Description = $"Seconds between two pictures, {Units.Count(ShortestInterval)} to {Units.Count(LongestInterval)}.",
        HelpName = "N",
        DefaultValueFactory = _ => 1,
    };

    public WatchCommand(IAnsiConsole console)
        : base("watch", "Show what is wrong with the pools of a running process, and who holds their items. Changes nothing.")
    {
        Add(_target);
        Add(_once);
        Add(_json);
        Add(_plain);
        Add(_wait);
        Add(_port);
        Add(_interval);
        SetAction((result, cancellation) => new WatchRun(Read(result), console).RunAsync(cancellation));
    }

    /// <exception cref="UsageException">A value is out of its range, or options do not go together.</exception>
    private WatchRequest Read(ParseResult result)
    {
        var target = result.GetValue(_target);
        var port = result.GetValue(_port);
        var interval = result.GetValue(_interval);
        if (!(interval is >= ShortestInterval and <= LongestInterval))
        {
            throw new UsageException(
                $"--interval {Units.Count(interval)} is outside {Units.Count(ShortestInterval)} to "
                + $"{Units.Count(LongestInterval)}.");
        }

        if (target is not null && port is not null)
        {
            throw new UsageException("Specify a process id, a trace or --diagnostic-port, not two of them.");
        }

        var isPid = int.TryParse(target, NumberStyles.None, CultureInfo.InvariantCulture, out var pid);
        if (target is not null && !isPid && !File.Exists(target))
        {
            throw new UsageException($"'{target}' is neither a process id nor a file. 'poolhouse ps' lists the processes.");
        }

        return new WatchRequest
        {
            Pid = isPid ? pid : null,
            Trace = isPid ? null : target,
            DiagnosticPort = port,
            Wait = result.GetValue(_wait),
            Once = result.GetValue(_once),
            Json = result.GetValue(_json),
            Plain = result.GetValue(_plain),
            Interval = TimeSpan.FromSeconds(interval),
        };
    }
}
