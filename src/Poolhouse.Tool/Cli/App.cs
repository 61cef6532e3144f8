using System.CommandLine;
using System.CommandLine.Help;
using Poolhouse.Tool.Advise;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Cli.Studies;
using Poolhouse.Tool.Fleet;
using Poolhouse.Tool.Size;
using Poolhouse.Tool.Watch;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>The command line <c>poolhouse</c>.</summary>
/// <param name="console">Receives the results.</param>
/// <param name="error">Receives the errors.</param>
/// <param name="time">The clock.</param>
/// <param name="pace">How long to measure; <c>null</c>: according to the options.</param>
internal sealed class App(IAnsiConsole console, TextWriter error, TimeProvider time, Pace? pace = null)
{
    public async Task<int> RunAsync(string[] args, CancellationToken cancellation)
    {
        // Not a RootCommand, which takes its name from the assembly.
        var root = new Command("poolhouse", "Tools for Poolhouse, the pooling library.")
        {
            new BenchCommand(console, time, pace), new SizeCommand(console, time), new PsCommand(console),
            new WatchCommand(console), new AdviseCommand(console), new FleetCommand(console), new HelpOption(),
            new VersionOption(),
        };
        // A password may begin with '@', which by default stands for a file of arguments.
        var parsed = root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
        {
            return Complain(Explain(parsed));
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

    /// <summary>
    /// One message: about the word that was not understood, since other errors follow from it, or else about all errors.
    /// </summary>
    private static string Explain(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        var path = command.Parents.Any() ? $"poolhouse {command.Name}" : "poolhouse";
        var help = $"See '{path} --help'.";
        if (parsed.UnmatchedTokens is [var word, ..])
        {
            var known = command.Subcommands.Cast<Symbol>().Concat(command.Options).Select(symbol => symbol.Name);
            var name = Secrets.WithoutValue(word);
            return $"'{name}' is not a command or option of '{path}'.{Suggestion.For(name, known)} {help}";
        }

        if (command.Subcommands.Count > 0)
        {
            var names = command.Subcommands.Select(each => each.Name).ToList();
            return $"Name a command: {string.Join(", ", names.SkipLast(1))} or {names[^1]}. {help}";
        }

        return string.Join('\n', [.. parsed.Errors.Select(error => error.Message), help]);
    }

    private int Complain(string message)
    {
        error.WriteLine(Printable.Of(message));
        return ExitCode.Usage;
    }
}
