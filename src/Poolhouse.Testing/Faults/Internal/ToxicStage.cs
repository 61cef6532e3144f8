namespace Poolhouse.Testing;

/// <summary>The place of a toxic before one piece: what the toxic may do with it.</summary>
internal sealed class ToxicStage(FaultPump pump, ToxicEntry[] entries, int index, FaultPiece piece)
{
    private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(int.MaxValue);

    /// <summary>The number of the piece.</summary>
    public long Number => piece.Number;

    /// <summary>How long ago the proxy read the piece.</summary>
    public TimeSpan SinceArrival => pump.Time.GetElapsedTime(piece.Arrival);

    /// <summary>Whether the toxic was removed: it should let the rest through as it is.</summary>
    public bool IsOver => entries[index].Removed.IsCancellationRequested;

    /// <summary>How many bytes this toxic let through on this connection since it was added.</summary>
    public long PassedBytes => pump.PassedBy(entries[index]);

    /// <summary>Gives bytes to the next toxic or, after the last, to the other side.</summary>
    /// <param name="bytes">The bytes; none: the end of the stream.</param>
    public ValueTask PassOnAsync(ReadOnlyMemory<byte> bytes)
    {
        pump.CountPassed(entries[index], bytes.Length);
        return pump.PassAsync(entries, index + 1, bytes, piece);
    }

    /// <summary>Waits; less long when the toxic is removed.</summary>
    /// <exception cref="OperationCanceledException">The connection ended.</exception>
    public Task WaitAsync(TimeSpan time)
    {
        // More than a timer can do is for ever as far as tests are concerned.
        var wait = time > _longest ? Timeout.InfiniteTimeSpan : time;
        return wait == TimeSpan.Zero ? Task.CompletedTask : WaitAsync(token => Task.Delay(wait, pump.Time, token));
    }

    /// <summary>Waits for a task; less long when the toxic is removed.</summary>
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

    private async Task WaitAsync(Func<CancellationToken, Task> wait)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(entries[index].Removed, pump.Ended);
        await wait(both.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        pump.Ended.ThrowIfCancellationRequested();
    }
}
