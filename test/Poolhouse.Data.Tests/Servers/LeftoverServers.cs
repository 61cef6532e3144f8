using System.Diagnostics;
using System.Net.Sockets;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

public sealed class LeftoverServers
{
    private const string Ready = "serving ";

    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    [Fact]
    public async Task A_killed_program_leaves_neither_server_nor_folder()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var program = StartProgram();
        try
        {
            var (port, folder) = await ReadLocationAsync(program);
            Assert.True(IsListening(port));
            Assert.True(Directory.Exists(folder));

            program.Kill();

            Assert.True(SpinWait.SpinUntil(() => !Directory.Exists(folder), _patience));
            Assert.False(IsListening(port));
        }
        finally
        {
            program.Kill();
        }
    }

    [Fact]
    public void The_next_server_removes_only_abandoned_folders()
    {
        Assert.SkipUnless(ServerAccount.TryFind(out _, out var reason), reason);

        // Other programs that create servers at the same time sweep the usual folder.
        var root = Directory.CreateTempSubdirectory("poolhouse-sweep-");
        try
        {
            var abandoned = root.CreateSubdirectory("poolhouse-server-abandoned");
            var foreign = root.CreateSubdirectory("poolhouse-server-foreign");
            using var owned = ServerFolder.Create(root.FullName);
            File.WriteAllText(Path.Combine(abandoned.FullName, "owner"), "");

            using var next = ServerFolder.Create(root.FullName);

            Assert.False(Directory.Exists(abandoned.FullName));
            Assert.True(Directory.Exists(foreign.FullName));
            Assert.True(Directory.Exists(owned.Path));
            Assert.True(Directory.Exists(next.Path));
        }
        finally
        {
            root.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_folder_that_is_being_created_is_not_removed()
    {
        const int Makers = 4, Rounds = 12;

        var lost = await Task.WhenAll(Enumerable.Range(0, Makers).Select(_ => Task.Run(() =>
        {
            var missing = 0;
            for (var round = 0; round < Rounds; round++)
            {
                using var folder = ServerFolder.Create();
                using var another = ServerFolder.Create();
                missing += Directory.Exists(folder.Path) && Directory.Exists(another.Path) ? 0 : 1;
            }

            return missing;
        })));

        Assert.Equal(0, lost.Sum());
    }

    // The program that the first test runs and kills.
    [Fact(Explicit = true)]
    public async Task Serve_until_killed()
    {
        await using var server = await TemporaryPostgres.StartAsync();
        Console.WriteLine(FormattableString.Invariant($"{Ready}{server.Port} {server.Folder}"));
        await new TaskCompletionSource().Task;
    }

    private static Process StartProgram()
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, UseShellExecute = false };
        foreach (var argument in (string[])["-noLogo", "-noColor", "-explicit", "only", "-method",
            $"*.{nameof(Serve_until_killed)}"])
        {
            start.ArgumentList.Add(argument);
        }

        return Process.Start(start)!;
    }

    private static async Task<(int Port, string Folder)> ReadLocationAsync(Process program)
    {
        while (await program.StandardOutput.ReadLineAsync() is { } line)
        {
            if (line.StartsWith(Ready, StringComparison.Ordinal))
            {
                var parts = line[Ready.Length..].Split(' ');
                return (int.Parse(parts[0], System.Globalization.CultureInfo.InvariantCulture), parts[1]);
            }
        }

        throw new InvalidOperationException("The program did not start a server.");
    }

    private static bool IsListening(int port)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Connect("127.0.0.1", port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
