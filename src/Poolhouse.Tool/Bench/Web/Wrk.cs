using System.Globalization;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Web;

/// <summary>The load generator <c>wrk</c>, which keeps connections busy for a given time.</summary>
internal static class Wrk
{
    private const string Mark = "poolhouse ";

    private const string Script =
        """
        done = function(summary, latency, requests)
          local e = summary.errors
          io.write(string.format("poolhouse %d %d %d %d %d %d\n", summary.requests, summary.duration,
            latency:percentile(50), latency:percentile(99), latency:percentile(99.9), e.connect + e.read + e.write + e.status + e.timeout))
        end
        """;

    public static string? Missing =>
        ServerPrograms.Find("wrk") is null ? "wrk is not installed (no wrk in PATH or the usual folders)" : null;

    /// <summary>Requests a page repeatedly.</summary>
    /// <exception cref="ServerFailedException">wrk failed; the message has what it wrote.</exception>
    public static async Task<WebLoad> RunAsync(string url, int connections, TimeSpan duration, CancellationToken cancellation)
    {
        var folder = Directory.CreateTempSubdirectory("poolhouse-wrk-");
        try
        {
            var script = Path.Combine(folder.FullName, "report.lua");
            await File.WriteAllTextAsync(script, Script, cancellation).ConfigureAwait(false);
            var output = await ServerCommand.RunAsync(
                folder.FullName,
                [
                    ServerPrograms.Find("wrk")!, "-t", Text(Math.Min(connections, 2)), "-c", Text(connections), "-d",
                    $"{Text((int)Math.Ceiling(duration.TotalSeconds))}s",
                    "--timeout", "10s", "-s", script, url,
                ],
                cancellation).ConfigureAwait(false);
            return Read(output);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <exception cref="ServerFailedException">The line of the script is missing.</exception>
    internal static WebLoad Read(string output)
    {
        const double Microseconds = 1e-6;
        var line = output.Split('\n').LastOrDefault(each => each.StartsWith(Mark, StringComparison.Ordinal))
            ?? throw new ServerFailedException($"wrk did not report its figures:\n{output.Trim()}");
        double[] values = [.. line[Mark.Length..].Split(' ').Select(value => double.Parse(value, CultureInfo.InvariantCulture))];
        return new WebLoad(
            (long)values[0], values[0] / (values[1] * Microseconds), values[2] * Microseconds, values[3] * Microseconds,
            values[4] * Microseconds, (long)values[5]);
    }

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);
}
