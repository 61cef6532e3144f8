using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Samples a process from outside.</summary>
// What costs next to nothing is counted all the time. What may happen a million times a second (allocations, collections,
// connections, HTTP requests, rents of an ArrayPool) is counted in rounds of so many events, so the cost for the process does not
// grow with what it does.
// Stacks cost the most: they are taken once, if there is a reason.
internal sealed class Sampler(int pid, TimeSpan time)
{
    private const int EventsWithStacks = 1000;
    private const int BytesOfStacks = 1024 * 1024;
    private const double StacksAfter = 0.3;

    private static readonly TimeSpan _rents = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan _picture = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan _longestReading = TimeSpan.FromSeconds(30);

    private readonly DiagnosticsClient _client = new(pid);
    private Task _processEnded = Task.CompletedTask;
    private long _started;

    private TimeSpan Left => time - Stopwatch.GetElapsedTime(_started);

    private static DateTime Now => TimeProvider.System.GetUtcNow().UtcDateTime;

    /// <exception cref="TimeoutException">The process does not answer.</exception>
    /// <exception cref="DiagnosticsClientException">The process cannot be sampled.</exception>
    public async Task<Sample> RunAsync(CancellationToken cancellation)
    {
        using var folder = new PrivateFolder();
        var tally = new Tally(time);
        var sockets = new SocketTable(pid);
        var model = new WatchModel();
        using var pools = await PoolSessions.StartAsync(_client, model, _picture, detail: null, cancellation)
            .ConfigureAwait(false);
        using var lasting = await EventSession.StartAsync(
            _client, Providers.Lasting, stacks: false, stream => Read(stream, tally.CountLasting), cancellation)
            .ConfigureAwait(false);
        _processEnded = lasting.Ended;
        Series[] all =
        [
            new(tally.Collections, () => Providers.Collections, tally.CountCollections),
            new(tally.Openings, () => Providers.Openings, tally.CountOpenings),
            new(tally.Allocated, () => Providers.Allocations(tally.IsRandom), tally.CountAllocations,
                SamplesAllocations: true),
            new(tally.Requests, () => Providers.Requests, tally.CountRequests),
        ];

        _started = Stopwatch.GetTimestamp();
        tally.Start = Now;
        var cpu = ProcessorTime();
        var polling = sockets.PollAsync(time, tally.MomentOf, cancellation);
        var stacks = TakeStacksAsync(folder, tally, cancellation);
        await Task.WhenAll(all.Select(each => RunRoundsAsync(each, cancellation))).ConfigureAwait(false);
        var used = ProcessorTime() - cpu;
        var elapsed = Stopwatch.GetElapsedTime(_started);
        var traces = await stacks.ConfigureAwait(false);
        await lasting.StopAsync().ConfigureAwait(false);
        await polling.ConfigureAwait(false);
        await CountRentsAsync(tally, cancellation).ConfigureAwait(false);
        var sites = await ReadSitesAsync(traces, cancellation).ConfigureAwait(false);
        return tally.Summarize(elapsed, used / elapsed, sites, sockets.Peers(), model.Diagnose());
    }

    private async Task RunRoundsAsync(Series series, CancellationToken cancellation)
    {
        var interval = series.Rounds.IntervalOf(time);
        while (Left > TimeSpan.Zero && !_processEnded.IsCompleted)
        {
            var ticks = Stopwatch.GetTimestamp();
            await RunRoundAsync(series, () => series.Rounds.Longest(interval, Left), cancellation).ConfigureAwait(false);
            var pause = series.Rounds.Pause(interval, Stopwatch.GetElapsedTime(ticks));
            await WaitAsync(_processEnded, _processEnded, pause < Left ? pause : Left, cancellation).ConfigureAwait(false);
        }
    }

    private async Task RunRoundAsync(Series series, Func<TimeSpan> longest, CancellationToken cancellation)
    {
        var round = series.Rounds.Next();
        using var session = await EventSession.StartAsync(
            _client, series.Providers(), stacks: false, stream => Read(stream, source =>
            {
                source.AllEvents += each => round.Add(each.TimeStamp);
                series.Count(source);
            }), cancellation).ConfigureAwait(false);
        var began = Now;
        await WaitAsync(round.Full, session.Ended, longest(), cancellation).ConfigureAwait(false);
        var stopped = Now;
        await session.StopAsync().ConfigureAwait(false);
        series.Rounds.Add(round, began, stopped);
        if (series.SamplesAllocations)
        {
            await EndSamplingAsync(cancellation).ConfigureAwait(false);
        }
    }

    // A provider keeps what a session has enabled after the end of that session, until another one begins, if there are others
    // with the same provider: the runtime went on sampling allocations, for no one.
    private async Task EndSamplingAsync(CancellationToken cancellation)
    {
        if (_processEnded.IsCompleted)
        {
            return;
        }

        using var session = await EventSession.StartAsync(
            _client, Providers.Threads, stacks: false, stream => stream.CopyTo(Stream.Null), cancellation).ConfigureAwait(false);
        await session.StopAsync().ConfigureAwait(false);
    }

    /// <returns>The files with the traces that there was a reason to take.</returns>
    private async Task<IReadOnlyCollection<string>> TakeStacksAsync(
        PrivateFolder folder, Tally tally, CancellationToken cancellation)
    {
        await WaitAsync(_processEnded, _processEnded, time * StacksAfter, cancellation).ConfigureAwait(false);
        var traces = new List<Task<string>>();
        if (tally.Allocates && !_processEnded.IsCompleted)
        {
            traces.Add(TakeStacksAsync(
                folder.At("allocations.nettrace"), Providers.Allocations(tally.IsRandom), tally.Allocated, cancellation));
        }

        if (tally.Opens && !_processEnded.IsCompleted)
        {
            traces.Add(TakeStacksAsync(
                folder.At("openings.nettrace"), Providers.OpeningsWithStacks, tally.Openings, cancellation));
        }

        return await Task.WhenAll(traces).ConfigureAwait(false);
    }

    private async Task<string> TakeStacksAsync(
        string file, IReadOnlyList<EventPipeProvider> providers, Rounds rounds, CancellationToken cancellation)
    {
        var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var session = await EventSession.StartAsync(
            _client, providers, stacks: true, stream => Copy(stream, file, full), cancellation).ConfigureAwait(false);
        var enough = rounds.TimeOf(EventsWithStacks);
        await WaitAsync(full.Task, session.Ended, enough < Left ? enough : Left, cancellation).ConfigureAwait(false);
        await session.StopAsync().ConfigureAwait(false);
        await EndSamplingAsync(cancellation).ConfigureAwait(false);
        return file;
    }

    private async Task CountRentsAsync(Tally tally, CancellationToken cancellation)
    {
        // The first round is short and tells how long the second may last.
        var series = new Series(tally.Rents, () => Providers.Rents, tally.CountRents);
        for (var round = 0; round < 2; round++)
        {
            await RunRoundAsync(series, () => tally.Rents.Longest(_rents, _rents), cancellation).ConfigureAwait(false);
        }
    }

    private static async Task<CallSites?> ReadSitesAsync(IReadOnlyCollection<string> traces, CancellationToken cancellation)
    {
        try
        {
            // A trace of a megabyte takes a second. One that was cut off might never end.
            return await Task.Run(() => ReadSites(traces), cancellation)
                .WaitAsync(_longestReading, TimeProvider.System, cancellation).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return null;
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "What the reader throws at the end of a cut trace is not documented.")]
    private static CallSites? ReadSites(IReadOnlyCollection<string> traces)
    {
        var sites = new CallSites();
        var isRead = false;
        foreach (var trace in traces)
        {
            try
            {
                sites.Read(trace);
                isRead = true;
            }
            catch (Exception)
            {
                // The process ended before it had reported its methods: the types are known all the same.
            }
        }

        return isRead ? sites : null;
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

    /// <summary>What is counted in rounds.</summary>
    private sealed record Series(
        Rounds Rounds, Func<IReadOnlyList<EventPipeProvider>> Providers, Action<EventPipeEventSource> Count,
        bool SamplesAllocations = false);
}
