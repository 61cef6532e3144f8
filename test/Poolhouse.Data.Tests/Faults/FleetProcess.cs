using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>An instance of the sample ManyInstances, in a process of its own that a test kills, stops and continues.</summary>
internal sealed class FleetProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly Task<string> _output;

    private FleetProcess(Process process)
    {
        _process = process;
        _output = process.StandardOutput.ReadToEndAsync();
    }

    public static FleetProcess Start(string connectionString, params string[] arguments)
    {
        var program = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "..", "..", "ManyInstances", new DirectoryInfo(AppContext.BaseDirectory).Name,
            "ManyInstances.dll"));
        var start = new ProcessStartInfo("dotnet", [program, .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        start.Environment["ORDERS_CONNECTION"] = connectionString;
        start.Environment["DOTNET_TieredPGO"] = "0";
        return new FleetProcess(Process.Start(start)!);
    }

    public void Signal(string name)
    {
        using var kill = Process.Start("kill", [$"-{name}", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    /// <summary>Kills the process, as kill -9 does.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Lets the process end by itself, and returns what it has written.</summary>
    public async Task<string> EndAsync()
    {
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
        }

        return await Patience.WithinAsync(_output);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
    }
}
