using System.Diagnostics;
using System.Globalization;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Experiments;

/// <summary>
/// Measures time and bytes to the first rent of each kind of pool in a new process, for each way to compile it.
/// </summary>
// bench/Poolhouse.ColdStart is the process. It is published for each mode, and run for each pool in turn, so many times.
internal static class ColdStart
{
    private const int Runs = 11;

    private static readonly IReadOnlyList<(string Name, string Mode)> _modes =
        [("JIT", "jit"), ("ReadyToRun", "r2r"), ("Native AOT", "aot")];

    /// <returns>0.</returns>
    public static int Run()
    {
        var project = FindProject(new DirectoryInfo(AppContext.BaseDirectory));
        var folder = Directory.CreateTempSubdirectory("poolhouse-cold-start-").FullName;
        try
        {
            var programs = _modes.Select(mode => (mode.Name, Program: Publish(project, mode.Mode, folder)))
                .Where(static mode => mode.Program is not null).ToList();
            var pools = Execute(programs[0].Program!).Output.Split(' ', StringSplitOptions.TrimEntries);
            Console.WriteLine($"Microseconds and bytes to the first rent, medians of {Runs} processes");
            Console.WriteLine($"{"",-24}{string.Concat(programs.Select(static mode => $"{mode.Name,20}"))}");
            foreach (var pool in pools)
            {
                var runs = programs.Select(static _ => new List<(double Time, double Bytes)>()).ToList();
                for (var run = 0; run < Runs; run++)
                {
                    for (var mode = 0; mode < programs.Count; mode++)
                    {
                        var (exitCode, output) = Execute(programs[mode].Program!, pool);
                        var figures = exitCode == 0 ? output.Split(' ') : throw new InvalidOperationException(output);
                        runs[mode].Add((Parse(figures[0]), Parse(figures[1])));
                    }
                }

                Console.WriteLine($"{pool,-24}{string.Concat(runs.Select(static each => string.Create(
                    CultureInfo.InvariantCulture,
                    $"{Timing.Median(each.Select(static run => run.Time)),11:0}{Timing.Median(each.Select(static run => run.Bytes)),9:0}")))}");
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        return 0;
    }

    private static string FindProject(DirectoryInfo? folder) => folder is null
        ? throw new DirectoryNotFoundException("This program must be in the repository, whose project bench/Poolhouse.ColdStart it builds.")
        : Path.Combine(folder.FullName, "bench", "Poolhouse.ColdStart") is var project && Directory.Exists(project)
            ? project
            : FindProject(folder.Parent);

    /// <returns>The program; null if this machine cannot compile in that way.</returns>
    private static string? Publish(string project, string mode, string folder)
    {
        var binaries = Path.Combine(folder, mode);
        var (exitCode, output) = Execute(
            "dotnet", "publish", project, "-c", "Release", "--use-current-runtime", "--self-contained", mode is "aot" ? "true" : "false",
            $"-p:Mode={mode}", "-p:RunAnalyzers=false", $"-p:ArtifactsPath={Path.Combine(folder, "artifacts-" + mode)}", "-o", binaries);
        if (exitCode != 0)
        {
            Console.WriteLine($"{mode} is skipped: {output.Split('\n').FirstOrDefault(static line => line.Contains("error", StringComparison.Ordinal))}");
            return null;
        }

        return Path.Combine(binaries, OperatingSystem.IsWindows() ? "Poolhouse.ColdStart.exe" : "Poolhouse.ColdStart");
    }

    private static (int ExitCode, string Output) Execute(string program, params IReadOnlyList<string> arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            UseShellExecute = false,
        })!;
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, output);
    }

    private static double Parse(string figure) => double.Parse(figure, CultureInfo.InvariantCulture);
}
