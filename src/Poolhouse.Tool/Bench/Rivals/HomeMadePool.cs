using System.Collections.Concurrent;

namespace Poolhouse.Tool.Bench.Rivals;

/// <summary>The typical home-made pool: a semaphore for the capacity and a bag for the idle items.</summary>
// A correct one: the permit is released on every path, and an item is in the bag before its permit is released.
internal sealed class HomeMadePool<T>(int maxSize, RivalItems<T> items) : IRivalPool<T>, IDisposable
    where T : class
{
    private readonly SemaphoreSlim _permits = new(maxSize);
    private readonly ConcurrentBag<T> _idle = [];

    public int Idle => _idle.Count;

    public async ValueTask<T> RentAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        var patience = new Patience(timeout);
        if (!await _permits.WaitAsync(timeout, cancellation).ConfigureAwait(false))
        {
            throw new TimeoutException("The pool is exhausted.");
        }

        try
        {
            return TryTakeIdle() ?? await items.CreateForCallerAsync(patience.Left, cancellation).ConfigureAwait(false);
        }
        catch
        {
            _permits.Release();
            throw;
        }
    }

    public T Rent(TimeSpan timeout)
    {
        var patience = new Patience(timeout);
        if (!_permits.Wait(timeout))
        {
            throw new TimeoutException("The pool is exhausted.");
        }

        try
        {
#pragma warning disable VSTHRD002, MA0042 // The creation is asynchronous; code of this kind usually blocks on it.
            return TryTakeIdle()
                ?? items.CreateForCallerAsync(patience.Left, CancellationToken.None).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, MA0042
        }
        catch
        {
            _permits.Release();
            throw;
        }
    }

    public void Return(T item)
    {
        if (items.IsUsable(item))
        {
            _idle.Add(item);
        }
        else
        {
            items.Destroy(item);
        }

        _permits.Release();
    }

    public void Dispose() => _permits.Dispose();

    private T? TryTakeIdle()
    {
        while (_idle.TryTake(out var item))
        {
            if (items.IsUsable(item))
            {
                return item;
            }

            items.Destroy(item);
        }

        return null;
    }
}
