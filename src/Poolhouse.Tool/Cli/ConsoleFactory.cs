using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>Creates a console for the kind of output.</summary>
internal static class ConsoleFactory
{
    private const int WidthWhenRedirected = 80;

    /// <summary>A file or a pipe gets plain text of 80 columns, whatever the terminal around it can do.</summary>
    public static IAnsiConsole Create()
    {
        if (!Console.IsOutputRedirected)
        {
            AnsiConsole.Profile.Capabilities.Unicode &= !IsAscii(Environment.GetEnvironmentVariable);
            return AnsiConsole.Console;
        }

        return CreatePlain(Console.Out);
    }

    /// <summary>Whether the user asks for ASCII with the locale "C", for which .NET writes UTF-8.</summary>
    /// <param name="variable">Reads a variable of the environment.</param>
    public static bool IsAscii(Func<string, string?> variable) => ((string[])["LC_ALL", "LC_CTYPE", "LANG"]).Select(variable)
        .FirstOrDefault(value => !string.IsNullOrEmpty(value)) is "C" or "POSIX";

    public static IAnsiConsole CreatePlain(TextWriter writer)
    {
        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(writer),
        });
        console.Profile.Width = WidthWhenRedirected;
        return console;
    }
}
