namespace Poolhouse.Tool.Scenarios.Trials;

/// <summary>One trial under way: a pool, its backend, its callers, and the journal of it all.</summary>
internal sealed class Stage : IAsyncDisposable
{
    private readonly TimeProvider _time;
    private readonly CancellationToken _cancellation;
    private readonly List<Task> _visits = [];

    public Stage(
        Entrant entrant,
        PoolSettings settings,
        TimeSpan openTime,
        TimeSpan workTime,
        TimeProvider time,
        CancellationToken cancellation)
    {
        _time = time;
        _cancellation = cancellation;
        Journal = new Journal(time);
        Backend = new Backend(time, Journal, openTime, workTime);
        Pool = entrant.Make(Backend, settings, time);
    }

    public Journal Journal { get; }

    public Backend Backend { get; }

    public TrialPool Pool { get; }

    /// <summary>One caller: rents, works, returns. Its troubles are noted and go no further.</summary>
    /// <returns>Whether its work was done.</returns>
    public async Task<bool> VisitAsync(TimeSpan patience, CancellationToken giveUp = default)
    {
        var came = Journal.Now;
        var served = false;
        Journal.Note(Happening.Came);
        try
        {
            await Pool.UseAsync(WorkAsync, patience, giveUp).ConfigureAwait(false);
            Journal.Note(Happening.Done, Journal.Now - came);
            return true;
        }
        catch (Exception trouble) when (trouble is TimeoutException or BackendException or OperationCanceledException)
        {
            Journal.Note(served ? Happening.UseFailed : Happening.Refused);
            return false;
        }

        Task WorkAsync(Session session)
        {
            served = true;
            Journal.Note(Happening.Served, Journal.Now - came);
            return Backend.WorkAsync(session, _cancellation);
        }
    }

    /// <summary>Callers that come once, all at the same time.</summary>
    public void Crowd(int callers)
    {
        for (var i = 0; i < callers; i++)
        {
            _visits.Add(VisitAsync(Timeout.InfiniteTimeSpan, _cancellation));
        }
    }

    /// <summary>Callers that come again as soon as they are done, until an end; after a failure only after a pause.</summary>
    public void Loop(int callers, double end, TimeSpan patience, TimeSpan pause)
    {
        for (var i = 0; i < callers; i++)
        {
            _visits.Add(LoopAsync());
        }

        async Task LoopAsync()
        {
            while (Journal.Now < end && !_cancellation.IsCancellationRequested)
            {
                if (!await VisitAsync(patience, _cancellation).ConfigureAwait(false))
                {
                    await PauseAsync(pause).ConfigureAwait(false);
                }
            }
        }
    }

    /// <summary>Callers that come at a steady rate, whether or not the others are done.</summary>
    public async Task StreamAsync(double perSecond, double from, double end, Func<Task> visit)
    {
        await UntilAsync(from).ConfigureAwait(false);
        var come = 0;
        while (Journal.Now < end)
        {
            // As many as are due by now: a late timer makes nobody stay away.
            for (; come < (Journal.Now - from) * perSecond; come++)
            {
                _visits.Add(visit());
            }

            await PauseAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(false);
        }
    }

    public Task UntilAsync(double second) =>
        PauseAsync(TimeSpan.FromSeconds(Math.Max(0, second - Journal.Now)));

    /// <summary>Waits until every caller has left.</summary>
    public Task AllLeftAsync() => Task.WhenAll(_visits);

    public ValueTask DisposeAsync() => Pool.DisposeAsync();

    private Task PauseAsync(TimeSpan pause) => Task.Delay(pause, _time, _cancellation);
}
