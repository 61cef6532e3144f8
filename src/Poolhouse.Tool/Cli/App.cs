using System.CommandLine;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Size;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>The command line <c>poolhouse</c>.</summary>
/// <param name="console">Where results go.</param>
/// <param name="error">Where complaints go.</param>
/// <param name="time">The clock.</param>
/// <param name="pace">How long to measure; <c>null</c>: as the options say.</param>
internal sealed class App(IAnsiConsole console, TextWriter error, TimeProvider time, Pace? pace = null)
{
    public async Task<int> RunAsync(string[] args, CancellationToken cancellation)
    {
        var root = new RootCommand("Tools for Poolhouse, the pooling library.")
        {
            new BenchCommand(console, time, pace), new SizeCommand(console, time),
        };
        var parsed = root.Parse(args);
        if (parsed.Errors.Count > 0)
        {
            foreach (var problem in parsed.Errors)
            {
                await error.WriteLineAsync(Printable.Of(problem.Message)).ConfigureAwait(false);
            }

            var command = parsed.CommandResult.Command is RootCommand ? "" : $"{parsed.CommandResult.Command.Name} ";
            return Complain($"See 'poolhouse {command}--help'.");
        }

        // Ctrl-C is handled by the caller, which must get the chance to report; the default handler ends the process after two
        // seconds.
        var configuration = new InvocationConfiguration
        {
            Output = console.Profile.Out.Writer,
            Error = error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = null,
        };
        try
        {
            return await parsed.InvokeAsync(configuration, cancellation).ConfigureAwait(false);
        }
        catch (UsageException exception)
        {
            return Complain(exception.Message);
        }
    }

    private int Complain(string message)
    {
        error.WriteLine(Printable.Of(message));
        return ExitCode.Usage;
    }
}
