namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>A server in this process: takes time to open sessions and to work, can go down and come back.</summary>
internal sealed class Backend(TimeProvider time, Journal journal, TimeSpan openTime, TimeSpan workTime)
{
    private static readonly TimeSpan _refusalTime = TimeSpan.FromMilliseconds(1);

    private static readonly TimeSpan _slice = TimeSpan.FromMilliseconds(2);
    private volatile bool _isDown;
    private volatile int _generation;
    private int _working;

    /// <summary>Counts how often it went down.</summary>
    public int Generation => _generation;

    /// <summary>How much longer a piece of work takes while so many are under way, this one included; null: no longer.</summary>
    public Func<int, double>? Slowdown { get; set; }

    public async ValueTask<Session> OpenAsync(CancellationToken cancellation)
    {
        journal.Note(TrialEvent.OpenBegun);
        try
        {
            var generation = _generation;
            await Task.Delay(_isDown ? _refusalTime : openTime, time, cancellation).ConfigureAwait(false);
            if (_isDown || generation != _generation)
            {
                throw new BackendException();
            }

            journal.Note(TrialEvent.Opened);
            return new Session(this, generation, time.GetTimestamp());
        }
        catch
        {
            journal.Note(TrialEvent.OpenFailed);
            throw;
        }
    }

    public async Task WorkAsync(Session session, CancellationToken cancellation)
    {
        ThrowIfBroken(session);
        try
        {
            Interlocked.Increment(ref _working);
            await (Slowdown is null ? Task.Delay(workTime, time, cancellation) : ShareAsync(Slowdown, cancellation))
                .ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _working);
        }

        ThrowIfBroken(session);
    }

    public void Close() => journal.Note(TrialEvent.Closed);

    public void GoDown()
    {
        _isDown = true;
        _generation++;
    }

    public void ComeBack() => _isDown = false;

    // In slices, because the load changes meanwhile: the first caller of an idle backend must not keep its speed to the end.
    private async Task ShareAsync(Func<int, double> slowdown, CancellationToken cancellation)
    {
        var left = workTime;
        while (left > TimeSpan.Zero)
        {
            var factor = slowdown(Volatile.Read(ref _working));
            var started = time.GetTimestamp();
            var slice = left * factor < _slice ? left * factor : _slice;
            await Task.Delay(slice, time, cancellation).ConfigureAwait(false);
            left -= time.GetElapsedTime(started) / factor;
        }
    }

    private static void ThrowIfBroken(Session session)
    {
        if (session.IsBroken)
        {
            throw new BackendException();
        }
    }
}
