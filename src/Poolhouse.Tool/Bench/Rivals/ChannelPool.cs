using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Poolhouse.Tool.Bench.Rivals;

/// <summary>The algorithm of the pools in Npgsql and in version 2 of SqlClient's: idle items in an unbounded channel.</summary>
// Written from its description, not from its code:
//   an idle item waits in the channel, oldest first; the channel's readers are served in the order of their arrival
//   a caller that finds none opens one on its own task, if the counter allows, however many others do the same
//   at the bound it waits on the channel, with a linked token source and a timer for each wait
//   a caller that closes an item or fails to open one lowers the counter first and then writes a null, so that one waiter checks
//   again
//   a slot array refers to every open item; it is scanned on open and close only
internal sealed class ChannelPool<T> : IRivalPool<T>
    where T : class
{
    private readonly RivalItems<T> _items;
    private readonly Channel<T?> _idle = Channel.CreateUnbounded<T?>();
    private readonly T?[] _slots;
    private int _open;
    private int _idleCount;

    public ChannelPool(int maxSize, RivalItems<T> items)
    {
        _items = items;
        _slots = new T?[maxSize];
    }

    /// <summary>Items that are open or being opened.</summary>
    public int Open => Volatile.Read(ref _open);

    public int Idle => Volatile.Read(ref _idleCount);

    public ValueTask<T> RentAsync(TimeSpan timeout, CancellationToken cancellation) =>
        TryTakeIdle(out var item) ? new ValueTask<T>(item) : RentSlowlyAsync(timeout, cancellation);

    public T Rent(TimeSpan timeout)
    {
        if (TryTakeIdle(out var item))
        {
            return item;
        }

#pragma warning disable VSTHRD002, VSTHRD103, MA0042 // A channel has no synchronous wait, so the originals block here as well.
        return RentSlowlyAsync(timeout, CancellationToken.None).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, VSTHRD103, MA0042
    }

    public void Return(T item)
    {
        if (!_items.IsUsable(item))
        {
            Close(item);
            return;
        }

        Interlocked.Increment(ref _idleCount);
        _idle.Writer.TryWrite(item);
    }

    private async ValueTask<T> RentSlowlyAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        var patience = new Patience(timeout);
        if (await TryOpenAsync(patience, cancellation).ConfigureAwait(false) is { } opened)
        {
            return opened;
        }

        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        deadline.CancelAfter(patience.Left);
        while (true)
        {
            if (IsGood(await ReadAsync(deadline.Token, cancellation).ConfigureAwait(false), out var given))
            {
                return given;
            }

            if (TryTakeIdle(out var idle))
            {
                return idle;
            }

            if (await TryOpenAsync(patience, cancellation).ConfigureAwait(false) is { } own)
            {
                return own;
            }
        }
    }

    private async ValueTask<T?> ReadAsync(CancellationToken deadline, CancellationToken cancellation)
    {
        try
        {
            return await _idle.Reader.ReadAsync(deadline).ConfigureAwait(false);
        }
        catch (OperationCanceledException exception) when (!cancellation.IsCancellationRequested)
        {
            throw new TimeoutException("The pool is exhausted.", exception);
        }
    }

    /// <returns>Null at the bound.</returns>
    private async ValueTask<T?> TryOpenAsync(Patience patience, CancellationToken cancellation)
    {
        for (var open = Volatile.Read(ref _open); open < _slots.Length; open = Volatile.Read(ref _open))
        {
            if (Interlocked.CompareExchange(ref _open, open + 1, open) != open)
            {
                continue;
            }

            try
            {
                var item = await _items.CreateForCallerAsync(patience.Left, cancellation).ConfigureAwait(false);
                Replace(null, item);
                return item;
            }
            catch
            {
                ReleasePermit();
                throw;
            }
        }

        return null;
    }

    private bool TryTakeIdle([NotNullWhen(true)] out T? item)
    {
        while (_idle.Reader.TryRead(out var read))
        {
            if (IsGood(read, out item))
            {
                return true;
            }
        }

        item = null;
        return false;
    }

    private bool IsGood(T? read, [NotNullWhen(true)] out T? item)
    {
        item = null;
        if (read is null)
        {
            return false;
        }

        Interlocked.Decrement(ref _idleCount);
        if (!_items.IsUsable(read))
        {
            Close(read);
            return false;
        }

        item = read;
        return true;
    }

    private void Close(T item)
    {
        _items.Destroy(item);
        Replace(item, null);
        ReleasePermit();
    }

    // The counter first: a reader may be woken on this stack, and it reads the counter.
    private void ReleasePermit()
    {
        Interlocked.Decrement(ref _open);
        _idle.Writer.TryWrite(null);
    }

    private void Replace(T? old, T? item)
    {
        for (var i = 0; i < _slots.Length; i++)
        {
            if (Interlocked.CompareExchange(ref _slots[i], item, old) == old)
            {
                return;
            }
        }

        throw new InvalidOperationException("The pool has lost count of its slots.");
    }
}
