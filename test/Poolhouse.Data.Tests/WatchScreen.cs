using System.Diagnostics;
using System.Globalization;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests;

/// <summary><c>poolhouse watch</c> in a terminal of 80 columns and 24 lines, which tmux has.</summary>
internal sealed class WatchScreen : IAsyncDisposable
{
    public const int Height = 24;

    private readonly string _socket;

    private WatchScreen(string socket) => _socket = socket;

    public static bool IsAvailable { get; } =
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(folder =>
            File.Exists(Path.Combine(folder, "tmux")));

    public static async Task<WatchScreen> StartAsync(int pid)
    {
        var screen = new WatchScreen(string.Create(CultureInfo.InvariantCulture, $"poolhouse-{Environment.ProcessId}-{pid}"));
        await screen.RunAsync(
            "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", Text(Height),
            string.Create(CultureInfo.InvariantCulture, $"exec dotnet '{ToolProcess.Program}' watch {pid} --wait --interval 0.5"));
        return screen;
    }

    /// <summary>Waits until the screen has all of the texts.</summary>
    /// <returns>Its lines.</returns>
    public async Task<IReadOnlyList<string>> UntilAsync(CancellationToken cancellation, params string[] texts)
    {
        using var ticks = new PeriodicTimer(TimeSpan.FromMilliseconds(200));
        while (true)
        {
            var shown = await RunAsync("capture-pane", "-p");
            if (Array.TrueForAll(texts, text => shown.Contains(text, StringComparison.Ordinal)))
            {
                return shown.TrimEnd('\n').Split('\n');
            }

            try
            {
                await ticks.WaitForNextTickAsync(cancellation);
            }
            catch (OperationCanceledException canceled)
            {
                throw new TimeoutException($"Not on the screen: {string.Join(", ", texts)}.\n{shown}", canceled);
            }
        }
    }

    public Task PressAsync(string key) => RunAsync("send-keys", key);

    public Task ResizeAsync(int height) => RunAsync("resize-window", "-y", Text(height));

    public async ValueTask DisposeAsync()
    {
        using var tmux = Start("kill-server");
        await tmux.WaitForExitAsync();
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private async Task<string> RunAsync(params string[] arguments)
    {
        using var tmux = Start(arguments);
        var output = await tmux.StandardOutput.ReadToEndAsync();
        await tmux.WaitForExitAsync();
        return tmux.ExitCode == 0
            ? output
            : throw new InvalidOperationException($"tmux {arguments[0]}: {await tmux.StandardError.ReadToEndAsync()}");
    }

    private Process Start(params string[] arguments) =>
        Process.Start(new ProcessStartInfo("tmux", ["-u", "-L", _socket, .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
}
