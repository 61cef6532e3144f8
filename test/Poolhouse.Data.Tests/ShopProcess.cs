using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Data.Tests;

/// <summary>The sample shop in a process and a folder of its own.</summary>
internal sealed class ShopProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly string _folder;
    private readonly Task _reading;
    private readonly CancellationTokenSource _deadline;
    private readonly List<string> _log = [];
    private readonly SemaphoreSlim _lines = new(0);

    private ShopProcess(Process process, string folder, TimeSpan longest)
    {
        _process = process;
        _folder = folder;
        _deadline = new CancellationTokenSource(longest);
        _reading = Task.Run(ReadAsync);
    }

    public HttpClient Client { get; } = new();

    public int Id => _process.Id;

    /// <param name="environment">Connection strings: a command line can be read by every account of the machine.</param>
    /// <param name="longest">The longest time that the process is waited for.</param>
    public static async Task<ShopProcess> StartAsync(Dictionary<string, string> environment, TimeSpan longest)
    {
        var folder = Directory.CreateTempSubdirectory("poolhouse-shop-").FullName;
        var program = Path.GetFullPath(
            Path.Combine(AppContext.BaseDirectory, "..", "..", "Shop", new DirectoryInfo(AppContext.BaseDirectory).Name));
        File.Copy(Path.Combine(program, "appsettings.json"), Path.Combine(folder, "appsettings.json"));
        var start = new ProcessStartInfo("dotnet", [Path.Combine(program, "Shop.dll"), "--urls", "http://127.0.0.1:0"])
        {
            WorkingDirectory = folder,
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        var shop = new ShopProcess(Process.Start(start)!, folder, longest);
        try
        {
            var listening = await shop.WaitForLogAsync("Now listening on: ");
            shop.Client.BaseAddress = new Uri(listening[listening.IndexOf("http", StringComparison.Ordinal)..]);
            return shop;
        }
        catch
        {
            await shop.DisposeAsync();
            throw;
        }
    }

    public Task<string> GetAsync(string path) => Client.GetStringAsync(new Uri(path, UriKind.Relative), _deadline.Token);

    /// <summary>Returns the first line with this text, from the beginning of the log.</summary>
    public async Task<string> WaitForLogAsync(string text)
    {
        while (true)
        {
            lock (_log)
            {
                if (_log.Find(line => line.Contains(text, StringComparison.Ordinal)) is { } found)
                {
                    return found;
                }

                if (_reading.IsCompleted)
                {
                    throw new InvalidOperationException($"The shop ended without '{text}':\n{string.Join('\n', _log)}");
                }
            }

            await _lines.WaitAsync(_deadline.Token);
        }
    }

    /// <summary>Returns the lines with this text so far.</summary>
    public string GetLog(string text)
    {
        lock (_log)
        {
            return string.Join('\n', _log.Where(line => line.Contains(text, StringComparison.Ordinal)));
        }
    }

    public void EditSettings(string from, string to)
    {
        var path = Path.Combine(_folder, "appsettings.json");
        var text = File.ReadAllText(path);
        Assert.Contains(from, text, StringComparison.Ordinal);
        File.WriteAllText(path, text.Replace(from, to, StringComparison.Ordinal));
    }

    /// <summary>Sends SIGTERM.</summary>
    public void AskToStop()
    {
        using var signal = Process.Start("kill", ["-TERM", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        signal.WaitForExit();
    }

    public async Task<int> WaitForExitAsync()
    {
        await _process.WaitForExitAsync(_deadline.Token);
        return _process.ExitCode;
    }

    public Task<int> StopAsync()
    {
        AskToStop();
        return WaitForExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        await _process.WaitForExitAsync(CancellationToken.None);
        await _reading;
        _process.Dispose();
        Client.Dispose();
        _deadline.Dispose();
        _lines.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private async Task ReadAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync(CancellationToken.None) is { } line)
        {
            lock (_log)
            {
                _log.Add(line);
            }

            _lines.Release();
        }

        _lines.Release();
    }
}
