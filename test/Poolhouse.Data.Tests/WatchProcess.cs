using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests;

/// <summary><c>poolhouse watch --json</c> as a process of its own.</summary>
internal sealed class WatchProcess : IAsyncDisposable
{
    private readonly Process _process;

    public WatchProcess(int pid)
    {
        _process = Process.Start(ToolProcess.With(
            "watch", pid.ToString(CultureInfo.InvariantCulture), "--json", "--wait", "--interval", "0.5"))!;
    }

    /// <summary>Reads pictures until a pool has a verdict.</summary>
    /// <returns>
    /// The row of the pool, and the number of pictures before that showed the cause but another verdict.
    /// </returns>
    public async Task<(JsonElement Row, int Late)> UntilAsync(
        string pool, string rule, Func<JsonElement, bool> hasCause, CancellationToken cancellation)
    {
        for (var late = 0; ;)
        {
            var line = await _process.StandardOutput.ReadLineAsync(cancellation)
                ?? throw new InvalidOperationException("The watch has ended.");
            using var picture = JsonDocument.Parse(line);
            foreach (var row in picture.RootElement.GetProperty("pools").EnumerateArray())
            {
                if (!string.Equals(row.GetProperty("name").GetString(), pool, StringComparison.Ordinal))
                {
                    continue;
                }

                if (string.Equals(row.GetProperty("rule").GetString(), rule, StringComparison.Ordinal))
                {
                    return (row.Clone(), late);
                }

                late += hasCause(row) ? 1 : 0;
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
    }
}
