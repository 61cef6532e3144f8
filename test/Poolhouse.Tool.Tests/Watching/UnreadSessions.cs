using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Tests.Advising;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>Sessions whose one side does not read or answer.</summary>
[Collection(nameof(WatchedAlone))]
public sealed class UnreadSessions
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_session_whose_reader_fails_is_closed()
    {
        using var source = new Chatter();
        var failed = new TaskCompletionSource<Stream>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var session = await EventSession.StartAsync(
            new DiagnosticsClient(Environment.ProcessId), [new EventPipeProvider(nameof(Chatter), EventLevel.Informational)],
            stacks: false,
            stream =>
            {
                failed.SetResult(stream);
                throw new FormatException("It is damaged.");
            },
            Token);
        var stream = await failed.Task.WaitAsync(Token);
        await session.Ended.WaitAsync(TimeSpan.FromMinutes(1), TimeProvider.System, Token);
        for (var i = 0; i < 2_000; i++)
        {
            source.Say(new string('a', 4_000));
        }

        // More than a socket holds: the process could not write it.
        var began = Stopwatch.GetTimestamp();
        await session.StopAsync();
        Assert.InRange(Stopwatch.GetElapsedTime(began), TimeSpan.Zero, TimeSpan.FromSeconds(10));
        Assert.False(stream.CanRead);
    }

    [Fact]
    public async Task A_process_that_was_stopped_does_not_keep_its_session_open()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The app uses addresses that only Linux has by itself.");
        await using var target = await ZooProcess.StartAsync("pooled-connections");
        var client = new DiagnosticsClient(int.Parse(target.Id, CultureInfo.InvariantCulture));
        var session = await PoolSessions.StartAsync(client, new WatchModel(), TimeSpan.FromSeconds(1), detail: null, Token);
        await FreezeAsync(target);
        await Task.Run(session.Dispose, Token).WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System, Token);
    }

    [Theory(Explicit = true)]
    [InlineData("watch")]
    [InlineData("advise")]
    public async Task A_process_that_does_not_answer_is_given_up_after_ten_seconds(string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The app uses addresses that only Linux has by itself.");
        await using var target = await ZooProcess.StartAsync("pooled-connections");
        await FreezeAsync(target);
        var run = await ToolRun.Of(command, target.Id).WaitAsync(TimeSpan.FromSeconds(60), TimeProvider.System, Token);
        Assert.Equal(2, run.ExitCode);
        Assert.EndsWith(" does not answer. Is it stopped, or still starting?\n", run.Error, StringComparison.Ordinal);
    }

    private static async Task FreezeAsync(ZooProcess target)
    {
        using var kill = Process.Start("kill", ["-STOP", target.Id]);
        await kill.WaitForExitAsync(Token);
    }

    private sealed class Chatter() : EventSource(nameof(Chatter))
    {
        public void Say(string text) => WriteEvent(1, text);
    }
}
