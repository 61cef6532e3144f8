namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>The callers of a pool, and the journal of their outcomes.</summary>
internal abstract class Callers(TimeProvider time, CancellationToken cancellation)
{
    private readonly List<Task> _visits = [];

    public Journal Journal { get; } = new(time);

    /// <summary>One caller: rents, works, returns. Its failures are recorded and not passed on.</summary>
    /// <returns>Whether its work was done.</returns>
    public async Task<bool> VisitAsync(TimeSpan patience, CancellationToken giveUp = default)
    {
        var came = Journal.Now;
        var served = false;
        Journal.Note(TrialEvent.Came);
        try
        {
            await UseAsync(NoteServed, patience, giveUp).ConfigureAwait(false);
            Journal.Note(TrialEvent.Done, Journal.Now - came);
            return true;
        }
        catch (Exception failure) when (IsExpectedFailure(failure))
        {
            Journal.Note(served ? TrialEvent.UseFailed : TrialEvent.Refused);
            return false;
        }

        void NoteServed()
        {
            served = true;
            Journal.Note(TrialEvent.Served, Journal.Now - came);
        }
    }

    /// <summary>Callers that arrive once, all at the same time.</summary>
    public void Crowd(int callers)
    {
        for (var i = 0; i < callers; i++)
        {
            _visits.Add(VisitAsync(Timeout.InfiniteTimeSpan, cancellation));
        }
    }

    /// <summary>Callers that work in a loop until an end, with a pause after a failure.</summary>
    public void Loop(int callers, double end, TimeSpan patience, TimeSpan pause)
    {
        for (var i = 0; i < callers; i++)
        {
            _visits.Add(LoopAsync());
        }

        async Task LoopAsync()
        {
            while (Journal.Now < end && !cancellation.IsCancellationRequested)
            {
                if (!await VisitAsync(patience, cancellation).ConfigureAwait(false))
                {
                    await PauseAsync(pause).ConfigureAwait(false);
                }
            }
        }
    }

    /// <summary>Callers that arrive at a steady rate, whether or not the others are done.</summary>
    public async Task StreamAsync(double perSecond, double from, double end, Func<Task> visit)
    {
        await UntilAsync(from).ConfigureAwait(false);
        await StreamWhileAsync(perSecond, () => Journal.Now < end, visit).ConfigureAwait(false);
    }

    /// <summary>The same from now on, until it is stopped.</summary>
    public Task StreamUntilAsync(double perSecond, Func<Task> visit, CancellationToken end) =>
        StreamWhileAsync(perSecond, () => !end.IsCancellationRequested, visit);

    public Task UntilAsync(double second) =>
        PauseAsync(TimeSpan.FromSeconds(Math.Max(0, second - Journal.Now)));

    /// <summary>Waits until every caller is done.</summary>
    public Task AllLeftAsync() => Task.WhenAll(_visits);

    /// <summary>Rents an item, reports that it has one, uses it, and returns it.</summary>
    protected abstract Task UseAsync(Action served, TimeSpan patience, CancellationToken giveUp);

    /// <summary>Whether an exception is an expected failure of one caller; any other ends the trial.</summary>
    protected abstract bool IsExpectedFailure(Exception exception);

    private async Task StreamWhileAsync(double perSecond, Func<bool> goesOn, Func<Task> visit)
    {
        var from = Journal.Now;
        for (var come = 0; goesOn();)
        {
            // As many as are due by now: a late timer does not reduce the number of callers.
            for (; come < (Journal.Now - from) * perSecond; come++)
            {
                _visits.Add(visit());
            }

            await PauseAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(false);
        }
    }

    private Task PauseAsync(TimeSpan pause) => Task.Delay(pause, time, cancellation);
}
