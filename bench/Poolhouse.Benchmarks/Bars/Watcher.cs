using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Text;
using Poolhouse.TestSupport;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>A process with <c>poolhouse watch</c>, which watches this one until it is disposed.</summary>
internal sealed class Watcher : IDisposable
{
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(30);

    private readonly Process _process;
    private readonly Task _reading;

    private Watcher(Process process)
    {
        _process = process;
        _reading = process.StandardOutput.ReadToEndAsync();
    }

    /// <summary>Starts one, which has shown its first picture.</summary>
    public static Watcher Start()
    {
        var process = Process.Start(ToolProcess.With(Arguments("--json")))!;
        _ = process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The watcher has ended.");
        return new Watcher(process);
    }

    /// <summary>
    /// Starts one on a terminal, and shows the first pool in detail, as its user would: until it has shown uses that it counted.
    /// </summary>
    /// <param name="use">Uses the pool.</param>
    public static Watcher StartInDetail(Action use)
    {
        var command = $"dotnet '{ToolProcess.Program}' {string.Join(' ', Arguments())}";
        var process = Process.Start(new ProcessStartInfo("script", ["-qec", command, "/dev/null"])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        try
        {
            ReadUntil(process, "Enter details", use);
            process.StandardInput.Write('\r');
            process.StandardInput.Flush();
            ReadUntil(process, "below", use);
            return new Watcher(process);
        }
        catch
        {
            process.Kill(entireProcessTree: true);
            throw;
        }
    }

    public void Dispose()
    {
        _process.Kill(entireProcessTree: true);
        _process.WaitForExit();
        _reading.Wait();
        _process.Dispose();
        if (!SpinWait.SpinUntil(() => !EventSource.GetSources().Any(IsWatched), _longest))
        {
            throw new TimeoutException("The session of a watcher that was killed has not ended.");
        }
    }

    private static string[] Arguments(params IEnumerable<string> more) =>
        ["watch", Environment.ProcessId.ToString(CultureInfo.InvariantCulture), .. more];

    private static void ReadUntil(Process process, string text, Action use)
    {
        var seen = new StringBuilder();
        var buffer = new char[4096];
        for (var start = Stopwatch.GetTimestamp(); !seen.ToString().Contains(text, StringComparison.Ordinal);)
        {
            use();
            var read = process.StandardOutput.Read(buffer);
            seen.Append(buffer, 0, read);
            if (read == 0 || Stopwatch.GetElapsedTime(start) > _longest)
            {
                throw new InvalidOperationException($"The watcher does not show '{text}': {seen}");
            }
        }
    }

    private static bool IsWatched(EventSource source) =>
        string.Equals(source.Name, "Poolhouse", StringComparison.Ordinal) && source.IsEnabled();
}
