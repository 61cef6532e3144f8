using System.Diagnostics;
using Poolhouse.TestSupport;
using Poolhouse.Tool.Tests.Advising;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>What is left in a process when the watch has ended.</summary>
[Collection(nameof(WatchedAlone))]
public sealed class AfterDetaching
{
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(5);

    // The writer of the snapshots and the session each have a thread, and the session has a connection. When both threads are
    // gone, the event source is off: its last command stops the writer. What the pools keep is in EventSourceSessions.
    [Theory]
    [InlineData("INT")]
    [InlineData("KILL")]
    public async Task Five_seconds_later_no_thread_and_no_file_of_it_is_left(string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Reads /proc.");
        await using var target = await ZooProcess.StartAsync("pooled-connections");
        var (files, threads) = (FilesOf(target.Id), ThreadsOf(target.Id));
        TimeSpan longest;
        var began = Stopwatch.GetTimestamp();
        using (var watch = Process.Start(ToolProcess.With("watch", target.Id, "--json", "--wait", "--interval", "0.5"))!)
        {
            Assert.NotNull(await watch.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));

            // On a busy machine, the end may take as long as the beginning.
            var taken = Stopwatch.GetElapsedTime(began);
            longest = taken > _longest ? taken : _longest;
            Assert.NotEmpty(FilesOf(target.Id).Except(files));
            Assert.NotEmpty(ThreadsOf(target.Id).Except(threads));
            using var kill = Process.Start("kill", [$"-{signal}", $"{watch.Id}"]);
            await watch.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        var isClean = SpinWait.SpinUntil(
            () => !FilesOf(target.Id).Except(files).Any() && !ThreadsOf(target.Id).Except(threads).Any(), longest);
        Assert.True(
            isClean, string.Join('\n', FilesOf(target.Id).Except(files).Concat(ThreadsOf(target.Id).Except(threads))));
    }

    /// <summary>Its pipes and local sockets; the app itself has others.</summary>
    private static HashSet<string> FilesOf(string id)
    {
        var local = File.ReadLines($"/proc/{id}/net/unix").Skip(1)
            .Select(line => $"socket:[{line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[6]}]").ToHashSet(StringComparer.Ordinal);
        return
        [
            .. new DirectoryInfo($"/proc/{id}/fd").EnumerateFileSystemInfos()
                .Select(file => ReadIfThere(() => file.LinkTarget))
                .OfType<string>()
                .Where(target => local.Contains(target) || target.StartsWith("pipe:", StringComparison.Ordinal)),
        ];
    }

    /// <summary>The names of the threads, without those of the thread pool, which come and go.</summary>
    private static HashSet<string> ThreadsOf(string id) =>
    [
        .. Directory.EnumerateDirectories($"/proc/{id}/task")
            .Select(thread => ReadIfThere(() => File.ReadAllText(Path.Combine(thread, "comm")).TrimEnd()))
            .OfType<string>()
            .Where(name => !name.StartsWith(".NET TP ", StringComparison.Ordinal)),
    ];

    // What was listed may have ended since.
    private static string? ReadIfThere(Func<string?> read)
    {
        try
        {
            return read();
        }
        catch (IOException)
        {
            return null;
        }
    }
}
