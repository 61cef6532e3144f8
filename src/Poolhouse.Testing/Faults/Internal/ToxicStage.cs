namespace Poolhouse.Testing.Faults.Internal;

/// <summary>A toxic applied to one chunk: the operations that the toxic may use.</summary>
internal sealed class ToxicStage(FaultPump pump, ToxicEntry[] entries, int index, FaultPiece piece)
{
    private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(int.MaxValue);

    /// <summary>The number of the piece.</summary>
    public long Number => piece.Number;

    /// <summary>How long ago the proxy read the piece.</summary>
    public TimeSpan SinceArrival => pump.Time.GetElapsedTime(piece.Arrival);

    /// <summary>Whether the toxic was removed: it should forward the rest unchanged.</summary>
    public bool IsOver => entries[index].Removed.IsCancellationRequested;

    /// <summary>How many bytes this toxic let through on this connection since it was added.</summary>
    public long PassedBytes => pump.PassedBy(entries[index]);

    /// <summary>Passes bytes to the next toxic or, after the last, to the other side.</summary>
    /// <param name="bytes">The bytes; none: the end of the stream.</param>
    public ValueTask PassOnAsync(ReadOnlyMemory<byte> bytes)
    {
        pump.CountPassed(entries[index], bytes.Length);
        return pump.PassAsync(entries, index + 1, bytes, piece);
    }

    /// <summary>
    /// Waits until the line of this toxic on this connection has passed that many bytes at that rate, beginning when it is free
    /// and the piece is there.
    /// </summary>
    /// <exception cref="OperationCanceledException">The connection ended.</exception>
    // The end is calculated and not measured, so that waits that end late, or are too short for a timer, add up to the right
    // rate. Rounded down: rounded up, the time would depend on the number of pieces in which the bytes arrive.
    public Task OccupyLineAsync(int bytes, long bytesPerSecond)
    {
        var clock = pump.Time;
        var end = Math.Max(pump.FreeAt(entries[index]), piece.Arrival) +
            bytes * clock.TimestampFrequency / bytesPerSecond;
        pump.OccupyUntil(entries[index], end);
        return WaitAsync(clock.GetElapsedTime(clock.GetTimestamp(), end));
    }

    /// <summary>Waits; the wait ends early if the toxic is removed, and is otherwise never too short.</summary>
    /// <exception cref="OperationCanceledException">The connection ended.</exception>
    public Task WaitAsync(TimeSpan time)
    {
        if (time <= TimeSpan.Zero && time != Timeout.InfiniteTimeSpan)
        {
            return Task.CompletedTask;
        }

        // Longer than a timer supports is infinite for the purpose of a test.
        return time == Timeout.InfiniteTimeSpan || time > _longest
            ? WaitAsync(token => Task.Delay(Timeout.InfiniteTimeSpan, pump.Time, token))
            : WaitAsync(token => DelayAsync(time, token));
    }

    /// <summary>Waits for a task; the wait ends early if the toxic is removed.</summary>
    /// <exception cref="OperationCanceledException">The connection ended.</exception>
    public Task WaitAsync(Task task) => WaitAsync(task.WaitAsync);

    /// <summary>Ends the connection; with <see cref="ConnectionEnd.Silence"/>, waits until the toxic is removed.</summary>
    /// <exception cref="OperationCanceledException">The connection ended.</exception>
    public Task EndAsync(ConnectionEnd end)
    {
        if (end != ConnectionEnd.Silence)
        {
            pump.End(end);
        }

        return WaitAsync(Timeout.InfiniteTimeSpan);
    }

    // Timers have a resolution of one millisecond and may fire up to one too early. The rest is waited for by yielding, unless
    // another caller moves the clock.
    private async Task DelayAsync(TimeSpan time, CancellationToken cancellationToken)
    {
        if (pump.Time != TimeProvider.System)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(Math.Ceiling(time.TotalMilliseconds)), pump.Time, cancellationToken)
                .ConfigureAwait(false);
            return;
        }

        var begin = pump.Time.GetTimestamp();
        await Task.Delay(TimeSpan.FromMilliseconds(Math.Floor(time.TotalMilliseconds)), pump.Time, cancellationToken)
            .ConfigureAwait(false);
        while (pump.Time.GetElapsedTime(begin) < time && !cancellationToken.IsCancellationRequested)
        {
            await Task.Yield();
        }
    }

    private async Task WaitAsync(Func<CancellationToken, Task> wait)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(entries[index].Removed, pump.Ended);
        await wait(both.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        pump.Ended.ThrowIfCancellationRequested();
    }
}
