using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tests;

/// <summary>A plain item.</summary>
internal sealed class Item
{
    public int Uses { get; set; }
}

/// <summary>An item that counts its disposals.</summary>
internal sealed class DisposableItem : IDisposable
{
    private int _disposals;

    public int Disposals => Volatile.Read(ref _disposals);

    public void Dispose() => Interlocked.Increment(ref _disposals);
}

/// <summary>An item that can only be disposed asynchronously.</summary>
internal sealed class AsyncDisposableItem : IAsyncDisposable
{
    private int _disposals;

    public int Disposals => Volatile.Read(ref _disposals);

    public ValueTask DisposeAsync()
    {
        Interlocked.Increment(ref _disposals);
        return default;
    }
}

/// <summary>An item with the reset hook of ASP.NET Core.</summary>
internal sealed class ResettableItem : IResettable
{
    public int Resets { get; private set; }

    public bool Accepts { get; set; } = true;

    public bool TryReset()
    {
        Resets++;
        return Accepts;
    }
}

/// <summary>A policy that records the created items in order.</summary>
internal sealed class RecordingPolicy<T>(Func<T> create, Func<T, bool>? reset = null) : IPooledObjectPolicy<T>
    where T : class
{
    private readonly Lock _gate = new();
    private readonly List<T> _created = [];

    public IReadOnlyList<T> Created
    {
        get
        {
            lock (_gate)
            {
                return [.. _created];
            }
        }
    }

    public T Create()
    {
        var item = create();
        lock (_gate)
        {
            _created.Add(item);
        }

        return item;
    }

    public bool Return(T obj) => reset is null || reset(obj);
}
