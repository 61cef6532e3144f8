using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Samples a process from outside.</summary>
// What happens rarely (collections, connections, threads) is counted all the time. What may happen a million times a second
// (allocations, HTTP requests, rents of an ArrayPool) is counted in rounds, each of which ends after a number of events; so the
// cost for the process does not grow with what it does. Stacks cost the most: they are taken once, if there is a reason.
internal sealed class Sampler(int pid, TimeSpan time)
{
    private const int Rounds = 15;
    private const int EventsOfRound = 3000;
    private const int BytesOfStacks = 512 * 1024;
    private const double StacksAfter = 0.3;

    private static readonly TimeSpan _shortestRound = TimeSpan.FromSeconds(0.25);
    private static readonly TimeSpan _rents = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan _picture = TimeSpan.FromSeconds(0.5);

    private readonly DiagnosticsClient _client = new(pid);
    private long _started;

    /// <exception cref="TimeoutException">The process does not answer.</exception>
    /// <exception cref="DiagnosticsClientException">The process cannot be sampled.</exception>
    public async Task<Sample> RunAsync(CancellationToken cancellation)
    {
        using var folder = new PrivateFolder();
        var tally = new Tally(time);
        var sockets = new SocketTable(pid);
        var model = new WatchModel();
        using var pools = await PoolSession.StartAsync(_client, model, _picture, detail: null, cancellation)
            .ConfigureAwait(false);
        using var lasting = await EventSession.StartAsync(
            _client, Providers.Rare, stacks: false, stream => Read(stream, tally.CountRare), cancellation).ConfigureAwait(false);
        var round = new Round(EventsOfRound);
        using var first = await StartRoundAsync(round, tally, cancellation).ConfigureAwait(false);

        // Not before all sessions have begun, which takes long on a busy machine.
        _started = Stopwatch.GetTimestamp();
        tally.Start = Now;
        var cpu = ProcessorTime();
        var polling = sockets.PollAsync(time, tally.MomentOf, cancellation);
        var stacks = TakeStacksAsync(folder.At("stacks.nettrace"), tally, lasting.Ended, cancellation);
        await RunRoundsAsync(first, round, tally, lasting.Ended, cancellation).ConfigureAwait(false);
        var used = ProcessorTime() - cpu;
        var elapsed = Stopwatch.GetElapsedTime(_started);
        var trace = await stacks.ConfigureAwait(false);
        await lasting.StopAsync().ConfigureAwait(false);
        await polling.ConfigureAwait(false);
        await CountRentsAsync(tally, cancellation).ConfigureAwait(false);
        var sites = trace is null ? null : ReadSites(trace, folder);
        return tally.Summarize(elapsed, used / elapsed, sites, sockets.Peers(), model.Diagnose());
    }

    [SuppressMessage("Design", "CA1031", Justification = "What the reader throws at the end of a cut trace is not documented.")]
    private static CallSites? ReadSites(string trace, PrivateFolder folder)
    {
        try
        {
            return CallSites.Read(trace, folder);
        }
        catch (Exception)
        {
            // The process ended before it had reported its methods: the types are known all the same.
            return null;
        }
    }

    private TimeSpan Left => time - Stopwatch.GetElapsedTime(_started);

    private static DateTime Now => TimeProvider.System.GetUtcNow().UtcDateTime;

    private Task<EventSession> StartRoundAsync(Round round, Tally tally, CancellationToken cancellation) =>
        EventSession.StartAsync(
            _client, Providers.Frequent(tally.IsRandom), stacks: false,
            stream => Read(stream, source => tally.CountFrequent(source, round)), cancellation);

    private async Task RunRoundsAsync(
        EventSession session, Round round, Tally tally, Task processEnded, CancellationToken cancellation)
    {
        var interval = TimeSpan.FromTicks(Math.Max(time.Ticks / Rounds, _shortestRound.Ticks));
        while (true)
        {
            var (ticks, began) = (Stopwatch.GetTimestamp(), Now);
            using (session)
            {
                await WaitAsync(round.Full, session.Ended, Left, cancellation).ConfigureAwait(false);
                var stopped = Now;
                await session.StopAsync().ConfigureAwait(false);
                tally.Add(round, began, stopped);
            }

            var pause = interval - Stopwatch.GetElapsedTime(ticks);
            await WaitAsync(processEnded, processEnded, pause < Left ? pause : Left, cancellation).ConfigureAwait(false);
            if (Left <= TimeSpan.Zero || processEnded.IsCompleted)
            {
                return;
            }

            round = new Round(EventsOfRound);
            session = await StartRoundAsync(round, tally, cancellation).ConfigureAwait(false);
        }
    }

    /// <returns>The file with the trace; null if there was no reason to take stacks.</returns>
    private async Task<string?> TakeStacksAsync(string file, Tally tally, Task processEnded, CancellationToken cancellation)
    {
        await WaitAsync(processEnded, processEnded, time * StacksAfter, cancellation).ConfigureAwait(false);
        if (processEnded.IsCompleted || !tally.HasReasonForStacks)
        {
            return null;
        }

        var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var session = await EventSession.StartAsync(
            _client, Providers.WithStacks(tally.IsRandom), stacks: true, stream => Copy(stream, file, full), cancellation)
            .ConfigureAwait(false);
        await WaitAsync(full.Task, session.Ended, Left, cancellation).ConfigureAwait(false);
        await session.StopAsync().ConfigureAwait(false);
        return file;
    }

    private async Task CountRentsAsync(Tally tally, CancellationToken cancellation)
    {
        var round = new Round(EventsOfRound);
        using var session = await EventSession.StartAsync(
            _client, Providers.Rents, stacks: false,
            stream => Read(stream, source => tally.CountRents(source, round)), cancellation).ConfigureAwait(false);
        var began = Now;
        await WaitAsync(round.Full, session.Ended, _rents, cancellation).ConfigureAwait(false);
        var stopped = Now;
        await session.StopAsync().ConfigureAwait(false);
        tally.AddRents(round, began, stopped);
    }

    private static void Read(Stream stream, Action<EventPipeEventSource> subscribe)
    {
        using var source = new EventPipeEventSource(stream);
        subscribe(source);
        source.Process();
    }

    private static void Copy(Stream stream, string file, TaskCompletionSource full)
    {
        using var copy = new FileStream(file, FileMode.CreateNew);
        var buffer = new byte[64 * 1024];
        for (var read = stream.Read(buffer); read > 0; read = stream.Read(buffer))
        {
            copy.Write(buffer, 0, read);
            if (copy.Length >= BytesOfStacks)
            {
                full.TrySetResult();
            }
        }
    }

    private static async Task WaitAsync(Task one, Task other, TimeSpan longest, CancellationToken cancellation)
    {
        if (longest <= TimeSpan.Zero)
        {
            return;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var delay = Task.Delay(longest, TimeProvider.System, limit.Token);
        await Task.WhenAny(one, other, delay).ConfigureAwait(false);
        await limit.CancelAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
    }

    [SuppressMessage("Design", "CA1031", Justification = "The process may have ended.")]
    private TimeSpan ProcessorTime()
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            return process.TotalProcessorTime;
        }
        catch (Exception)
        {
            return TimeSpan.Zero;
        }
    }
}
