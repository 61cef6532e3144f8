using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>An app of the zoo as a process of its own, ready to be sampled.</summary>
internal sealed class ZooProcess : IAsyncDisposable
{
    private readonly Process _process;

    private ZooProcess(Process process) => _process = process;

    public string Id => _process.Id.ToString(CultureInfo.InvariantCulture);

    private static string Program => Path.GetFullPath(Path.Combine(
        AppContext.BaseDirectory, "..", "..", "Zoo", new DirectoryInfo(AppContext.BaseDirectory).Name, "Zoo.dll"));

    /// <summary>Starts an app at its pace.</summary>
    // Without a size, the youngest generation is as large as the cache of the processor. An app that allocates 60 MiB a second
    // then collects once or twice while it is sampled for five seconds, and with fewer than two collections nothing is said.
    public static Task<ZooProcess> StartAsync(string name) =>
        StartAsync(name, Start("dotnet", [Program, name], ("DOTNET_GCgen0size", "1000000"))); // 16 MiB; it is hexadecimal

    /// <summary>Starts an app on the first processor, at full or half load.</summary>
    public static Task<ZooProcess> StartBusyAsync(string name, string load) =>
        StartAsync(name, Start("taskset", ["-c", "0", "dotnet", Program, name, load]));

    private static async Task<ZooProcess> StartAsync(string name, Process process)
    {
        var line = await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        return line == "ready" ? new ZooProcess(process) : throw new InvalidOperationException($"App '{name}' did not start.");
    }

    /// <summary>What an app allocates and how many connections it opens each time.</summary>
    public static async Task<(double Bytes, double Connections)> MeasureAsync(string name, int count, bool isFixed)
    {
        var times = count.ToString(CultureInfo.InvariantCulture);
        using var process = isFixed ? StartApp(name, times, "fixed") : StartApp(name, times);
        var words = (await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken)).Split(' ');
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (double.Parse(words[0], CultureInfo.InvariantCulture), double.Parse(words[1], CultureInfo.InvariantCulture));
    }

    /// <summary>How often a busy app has done what it does, and its processor time in seconds.</summary>
    public async Task<(double Times, double Seconds)> ReadAsync()
    {
        await _process.StandardInput.WriteLineAsync();
        await _process.StandardInput.FlushAsync(TestContext.Current.CancellationToken);
        var words = (await _process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken))!.Split(' ');
        return (double.Parse(words[0], CultureInfo.InvariantCulture), double.Parse(words[1], CultureInfo.InvariantCulture));
    }

    public async Task KillAsync()
    {
        // It ends when its input does, even if this process is killed.
        _process.StandardInput.Close();
        _process.Kill();
        await _process.WaitForExitAsync(CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        _process.Dispose();
    }

    private static Process StartApp(string name, params string[] arguments) =>
        Start("dotnet", [Program, name, .. arguments]);

    private static Process Start(string program, string[] arguments, params (string Name, string Value)[] variables)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        foreach (var (name, value) in variables)
        {
            start.Environment[name] = value;
        }

        return Process.Start(start)!;
    }
}
