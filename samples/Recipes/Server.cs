using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Samples.Recipes;

/// <summary>A server program that is started for this run, with its files in a temporary folder.</summary>
internal sealed class Server : IDisposable
{
    private static readonly string[] _folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin"];
    private static readonly TimeSpan _longestStart = TimeSpan.FromSeconds(20);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolhouse-recipe");
    private Process? _process;

    public Server()
    {
        using var free = new TcpListener(IPAddress.Loopback, port: 0);
        free.Start();
        Port = ((IPEndPoint)free.LocalEndpoint).Port;
    }

    public int Port { get; }

    public string Folder => _folder.FullName;

    /// <summary>The path of the program, or null if it is not installed.</summary>
    public static string? Find(string program) =>
        _folders.Select(each => Path.Combine(each, program)).FirstOrDefault(File.Exists);

    public static void Run(string program, params string[] arguments)
    {
        using var process = Start(program, arguments);
        process.WaitForExit();
    }

    public async Task ListenAsync(string program, params string[] arguments)
    {
        _process = Start(program, arguments);
        var waiting = Stopwatch.StartNew();
        while (!await AnswersAsync())
        {
            if (waiting.Elapsed > _longestStart)
            {
                throw new TimeoutException($"{program} does not listen on port {Port}.");
            }

            await Task.Delay(TimeSpan.FromMilliseconds(20));
        }
    }

    public void Dispose()
    {
        if (_process is not null)
        {
            _process.Kill();
            _process.WaitForExit();
            _process.Dispose();
        }

        _folder.Delete(recursive: true);
    }

    private static Process Start(string program, string[] arguments)
    {
        var process = Process.Start(
            new ProcessStartInfo(program, arguments)
            {
                UseShellExecute = false,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            })!;
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
    }

    private async Task<bool> AnswersAsync()
    {
        using var client = new TcpClient();
        try
        {
            await client.ConnectAsync(IPAddress.Loopback, Port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
