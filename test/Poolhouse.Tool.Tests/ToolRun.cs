using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Tests;

/// <summary>The tool run in this process, at a pace that measures nothing worth knowing.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Error)
{
    public static Task<ToolRun> Of(params string[] args) => Of(new StringWriter(), CancellationToken.None, args);

    public static Task<ToolRun> Of(StringWriter output, CancellationToken cancellation, params string[] args) =>
        Of(output, TimeProvider.System, cancellation, args);

    public static async Task<ToolRun> Of(
        StringWriter output, TimeProvider time, CancellationToken cancellation, params string[] args)
    {
        using var error = new StringWriter();
        var app = new App(ConsoleFactory.CreatePlain(output), error, time, Pace.Tiny);
        var exitCode = await app.RunAsync(args, cancellation);
        return new ToolRun(exitCode, output.ToString(), error.ToString());
    }
}
