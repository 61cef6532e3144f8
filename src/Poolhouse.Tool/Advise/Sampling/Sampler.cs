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
internal sealed class Sampler(int pid, TimeSpan time) : IDisposable
{
    private const int EventsWithStacks = 500;
    private const int BytesOfStacks = 1024 * 1024;
    private const double StacksAfter = 0.3;

    private static readonly TimeSpan _rents = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan _picture = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan _longestReading = TimeSpan.FromSeconds(30);

    // Also if the time is over: without stacks, there is nothing to say about what was counted.
    private static readonly TimeSpan _shortestForStacks = TimeSpan.FromSeconds(0.5);

    private readonly DiagnosticsClient _client = new(pid);
    private readonly Turns _turns = new();
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
            new(tally.Allocated, () => Providers.Allocations(tally.IsRandom), tally.CountAllocations,
                SamplesAllocations: true),
            new(tally.Openings, () => Providers.Openings, tally.CountOpenings),
            new(tally.Requests, () => Providers.Requests, tally.CountRequests),
        ];

        _started = Stopwatch.GetTimestamp();
        tally.Start = Now;
        var cpu = ProcessorTime();
        var polling = sockets.PollAsync(time, tally.MomentOf, cancellation);
        var rounds = all.Select(each => RunRoundsAsync(each, cancellation)).ToList();
        var stacks = TakeStacksAsync(folder, tally, Task.WhenAll(all.Select(each => each.First.Task)), cancellation);
        await Task.WhenAll(rounds).ConfigureAwait(false);
        var used = ProcessorTime() - cpu;
        var elapsed = Stopwatch.GetElapsedTime(_started);
        var traces = await stacks.ConfigureAwait(false);
        await lasting.StopAsync().ConfigureAwait(false);
        await polling.ConfigureAwait(false);
        await CountRentsAsync(tally, cancellation).ConfigureAwait(false);
        var sites = await ReadSitesAsync(traces, cancellation).ConfigureAwait(false);
        return tally.Summarize(elapsed, used / elapsed, sites, sockets.Peers(), model.Diagnose());
    }

    public void Dispose() => _turns.Dispose();

    private async Task RunRoundsAsync(Series series, CancellationToken cancellation)
    {
        var interval = series.Rounds.IntervalOf(time);
        while (Left > TimeSpan.Zero && !_processEnded.IsCompleted)
        {
            var ticks = Stopwatch.GetTimestamp();
            await RunRoundAsync(series, () => series.Rounds.Longest(interval, Left), cancellation).ConfigureAwait(false);
            series.First.TrySetResult();
            var pause = series.Rounds.Pause(interval, Stopwatch.GetElapsedTime(ticks));
            await WaitAsync(_processEnded, _processEnded, pause < Left ? pause : Left, cancellation).ConfigureAwait(false);
        }
    }

    private async Task RunRoundAsync(Series series, Func<TimeSpan> longest, CancellationToken cancellation)
    {
        var round = series.Rounds.Next();
        var (began, stopped) = await RunSessionAsync(
            series.Providers, stacks: false,
            stream => Read(stream, source =>
            {
                source.AllEvents += each => round.Add(each.TimeStamp);
                series.Count(source);
            }),
            round.Full, longest, series.SamplesAllocations, cancellation).ConfigureAwait(false);
        series.Rounds.Add(round, began, stopped);
    }

    /// <summary>Runs a session until it has enough events, or for some time.</summary>
    /// <param name="providers">Gives what the process reports, when the session begins.</param>
    /// <param name="stacks">Whether each event has its stack.</param>
    /// <param name="read">Reads the stream to its end.</param>
    /// <param name="full">Completes when there are enough events.</param>
    /// <param name="longest">Gives how long it may last, when the session has begun.</param>
    /// <param name="samplesAllocations">Whether the process samples its allocations for the session.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <returns>When it was known to have begun, and when it was asked to stop.</returns>
    private async Task<(DateTime Began, DateTime Stopped)> RunSessionAsync(
        Func<IReadOnlyList<EventPipeProvider>> providers, bool stacks, Action<Stream> read, Task full, Func<TimeSpan> longest,
        bool samplesAllocations, CancellationToken cancellation)
    {
        await _turns.TakeAsync(cancellation).ConfigureAwait(false);
        try
        {
            using var session = await EventSession.StartAsync(_client, providers(), stacks, read, cancellation)
                .ConfigureAwait(false);
            var (began, limit) = (Now, longest());
            await _turns.WaitAsync(limit, () => WaitAsync(full, session.Ended, limit, cancellation)).ConfigureAwait(false);
            var stopped = Now;
            await session.StopAsync().ConfigureAwait(false);
            if (samplesAllocations)
            {
                await EndSamplingAsync(cancellation).ConfigureAwait(false);
            }

            return (began, stopped);
        }
        finally
        {
            _turns.Release();
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
        PrivateFolder folder, Tally tally, Task firstRounds, CancellationToken cancellation)
    {
        // On a busy machine, the first rounds take longer than that, and may take longer than the whole time.
        await WaitAsync(_processEnded, _processEnded, time * StacksAfter, cancellation).ConfigureAwait(false);
        await WaitAsync(_processEnded, firstRounds, _longestReading, cancellation).ConfigureAwait(false);
        var traces = new List<Task<string>>();
        if (tally.Allocates && !_processEnded.IsCompleted)
        {
            traces.Add(TakeStacksAsync(
                folder.At("allocations.nettrace"), () => Providers.Allocations(tally.IsRandom), tally.Allocated,
                samplesAllocations: true, cancellation));
        }

        if (tally.Opens && !_processEnded.IsCompleted)
        {
            traces.Add(TakeStacksAsync(
                folder.At("openings.nettrace"), () => Providers.OpeningsWithStacks, tally.Openings, samplesAllocations: false,
                cancellation));
        }

        return await Task.WhenAll(traces).ConfigureAwait(false);
    }

    private async Task<string> TakeStacksAsync(
        string file, Func<IReadOnlyList<EventPipeProvider>> providers, Rounds rounds, bool samplesAllocations,
        CancellationToken cancellation)
    {
        var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await RunSessionAsync(
            providers, stacks: true, stream => Copy(stream, file, full), full.Task, Longest, samplesAllocations, cancellation)
            .ConfigureAwait(false);
        return file;

        TimeSpan Longest()
        {
            var (enough, left) = (rounds.TimeOf(EventsWithStacks), Left > _shortestForStacks ? Left : _shortestForStacks);
            return enough < left ? enough : left;
        }
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
        bool SamplesAllocations = false)
    {
        /// <summary>Completes with the first round.</summary>
        public TaskCompletionSource First { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    /// <summary>Lets sessions with a process begin and end one after the other. Thread safe.</summary>
    // A process answers one request at a time, and the end of a session takes it 100 ms, with the names of methods much longer. A
    // round that was to last 20 ms lasted two seconds when its end was asked for meanwhile, with a hundred times as many events
    // as wanted. So a short round keeps its turn until it has ended.
    internal sealed class Turns : IDisposable
    {
        private static readonly TimeSpan _short = TimeSpan.FromSeconds(0.25);

        private readonly SemaphoreSlim _turn = new(1);

        /// <summary>Waits until no other session begins, ends, or is short.</summary>
        public Task TakeAsync(CancellationToken cancellation) => _turn.WaitAsync(cancellation);

        /// <summary>Waits during a session, for which others need not wait if it is long.</summary>
        /// <param name="longest">How long the wait may take.</param>
        /// <param name="wait">Waits.</param>
        public async Task WaitAsync(TimeSpan longest, Func<Task> wait)
        {
            if (longest <= _short)
            {
                await wait().ConfigureAwait(false);
                return;
            }

            _turn.Release();
            try
            {
                await wait().ConfigureAwait(false);
            }
            finally
            {
                // Even if the wait was canceled: the session is to be ended, and the caller releases the turn.
                await _turn.WaitAsync(CancellationToken.None).ConfigureAwait(false);
            }
        }

        public void Release() => _turn.Release();

        public void Dispose() => _turn.Dispose();
    }
}
