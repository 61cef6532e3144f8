using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Repository.Tests.Samples;

/// <summary>
/// The app of the hosting guide as a process of its own: asked over HTTP, reconfigured by editing its settings, stopped by
/// SIGTERM.
/// </summary>
public sealed class HostedApp
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(3);

    [Fact]
    public async Task It_answers_applies_edited_settings_and_finishes_requests_before_it_ends()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has SIGTERM.");
        using var deadline = new CancellationTokenSource(_longest);
        using var folder = new TemporaryFolder();
        var settings = Path.Combine(folder.Path, "appsettings.json");
        File.Copy(RepositoryFiles.PathOf("samples", "HostedPools", "appsettings.json"), settings);
        var start = new ProcessStartInfo("dotnet", [RepositoryFiles.OutputOf("HostedPools"), "--urls", "http://127.0.0.1:0"])
        {
            WorkingDirectory = folder.Path,
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        try
        {
            var log = new LogOf(process.StandardOutput, deadline.Token);
            var listening = await log.WaitForAsync("Now listening on: ");
            using var client =
                new HttpClient { BaseAddress = new Uri(listening[(listening.IndexOf("http", StringComparison.Ordinal))..]) };
            Assert.Equal("42", await client.GetStringAsync(new Uri("/answer", UriKind.Relative), deadline.Token));
            Assert.Equal("Healthy", await client.GetStringAsync(new Uri("/health", UriKind.Relative), deadline.Token));
            Assert.Contains(
                "DbConnection", await client.GetStringAsync(new Uri("/pools", UriKind.Relative), deadline.Token),
                StringComparison.Ordinal);

            await File.WriteAllTextAsync(
                settings, (await File.ReadAllTextAsync(settings, deadline.Token)).Replace(
                    "\"MaxSize\": 8", "\"MaxSzie\": 8", StringComparison.Ordinal), deadline.Token);
            Assert.Contains(
                "Poolhouse:orders:Pool:MaxSzie is not a setting", await log.WaitForAsync("keeps its settings"),
                StringComparison.Ordinal);
            Assert.Equal("42", await client.GetStringAsync(new Uri("/answer", UriKind.Relative), deadline.Token));

            var slow = client.GetStringAsync(new Uri("/slow", UriKind.Relative), deadline.Token);
            while (!(await client.GetStringAsync(new Uri("/pools", UriKind.Relative), deadline.Token)).Contains(
                "\"leased\": 1", StringComparison.Ordinal))
            {
                await Task.Yield();
            }

            using var signal = Process.Start("kill", ["-TERM", process.Id.ToString(CultureInfo.InvariantCulture)]);
            Assert.Equal("finished", await slow);
            await log.WaitForAsync("was drained in");
            await process.WaitForExitAsync(deadline.Token);
            Assert.Equal(0, process.ExitCode);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    [Fact]
    public async Task The_program_of_the_first_page_answers()
    {
        using var deadline = new CancellationTokenSource(_longest);
        using var folder = new TemporaryFolder();
        var start = new ProcessStartInfo("dotnet", [RepositoryFiles.OutputOf("TenLines"), "--urls", "http://127.0.0.1:0"])
        {
            WorkingDirectory = folder.Path,
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        try
        {
            var listening = await new LogOf(process.StandardOutput, deadline.Token).WaitForAsync("Now listening on: ");
            using var client = new HttpClient { BaseAddress = new Uri(listening[listening.IndexOf("http", StringComparison.Ordinal)..]) };
            for (var request = 0; request < 3; request++)
            {
                Assert.StartsWith(
                    "SQLite 3.", await client.GetStringAsync(new Uri("/", UriKind.Relative), deadline.Token), StringComparison.Ordinal);
            }
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }

    private sealed class LogOf(StreamReader output, CancellationToken cancellationToken)
    {
        public async Task<string> WaitForAsync(string text)
        {
            var seen = new List<string>();
            while (await output.ReadLineAsync(cancellationToken) is { } line)
            {
                seen.Add(line);
                if (line.Contains(text, StringComparison.Ordinal))
                {
                    return line;
                }
            }

            throw new InvalidOperationException($"The app ended without '{text}':\n{string.Join('\n', seen)}");
        }
    }
}
