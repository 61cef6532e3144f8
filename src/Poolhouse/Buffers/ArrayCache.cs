using System.Runtime.CompilerServices;
using Poolhouse.Caching;
using Poolhouse.Caching.Misuse;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Buffers;

/// <summary>
/// The slow paths and the statistics of an array pool: one store per pooled length, and one byte budget for all.
/// </summary>
internal sealed class ArrayCache<T> : CacheCore<T[]>, ILeaseOwner<T[]>
{
    // The limit per thread and length. Deep stacks of short arrays keep nested rents cheap; longer arrays go to the depot sooner.
    private const long BytesPerStack = 4 << 20;

    // From this size on, all threads share the arrays. Writing to one takes far longer than the lock, and the array that was
    // returned last, by whichever thread, is the one that the processor's caches are most likely to have.
    private const long SharedFromBytes = 512 << 10;

    private readonly ClearPolicy _clear;
    private readonly bool _isShared;
    private readonly Gate _gate = new();

    // Created on the first slow path for arrays of the length: few pools use all lengths.
    private readonly LeasableStore<T[]>?[] _stores = new LeasableStore<T[]>?[Buckets.Count];

    public ArrayCache(ArrayPoolOptions settings, bool isShared)
        : base(
            typeof(T[]), settings, settings.MaxRetainedBytes, bytesPerUnit: 1, new ArrayPoison<T>(Clears(settings.Clear)))
    {
        _isShared = isShared;
        MaxRetainedBytes = settings.MaxRetainedBytes;
        _clear = settings.Clear;
        if (isShared)
        {
            LeaseWatch.Installed?.OnDisposed(this);
        }
    }

    public long MaxRetainedBytes { get; }

    /// <summary>The table of each length, which the pool checks first. Refreshed by the slow paths.</summary>
    public ThreadStack?[][] Tables { get; } = [.. Enumerable.Repeat(Array.Empty<ThreadStack?>(), Buckets.Count)];

    public bool ClearsOnReturn => Clears(_clear);

    public T[] RentSlow(int minimumLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(minimumLength);
        if (minimumLength == 0)
        {
            return [];
        }

        Engine.ThrowIfDisposed(Name);
        var bucket = Buckets.IndexOf(minimumLength);
        if (!IsPooled(bucket))
        {
            return CreateForRent(bucket, minimumLength);
        }

        var store = StoreOf(bucket);
        var own = store.Items.Own();
        RefreshTable(bucket, store, own);

        // A thread that has just found its stack may find arrays on it, of an ended thread that had the same number.
        return Unsafe.As<T[]>(own.TryPop()) ?? store.TakeSlow(own) ?? CreateForRent(bucket, minimumLength);
    }

    /// <summary>
    /// Checks and returns an array for which the current thread has no stack. In paranoid mode it never has one.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void ReturnSlow(T[] array, bool clearArray)
    {
        var bucket = Buckets.IndexOf(array.Length);
        if (!IsPooled(bucket))
        {
            ReturnUnpooled(array);
        }
        else if (array.Length != Buckets.LengthOf(bucket))
        {
            throw new ArgumentException(
                $"An array of length {array.Length} is not from pool '{Name}', whose arrays have 16, 32, 64 … elements.",
                nameof(array));
        }
        else if (!(ClearsOnReturn || clearArray) || TryClear(StoreOf(bucket), array))
        {
            ReturnSlow(array);
        }
    }

    /// <summary>Returns an array, cleared if necessary, for which the current thread's stack had no free slot.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void ReturnSlow(T[] array)
    {
        var bucket = Buckets.IndexOf(array.Length);
        var store = StoreOf(bucket);
        var own = store.Items.Own();
        store.PutSlow(own, array);
        RefreshTable(bucket, store, own);
    }

    /// <summary>Counts a rented array that is discarded instead of returned.</summary>
    /// <returns>False if the array must be left alone, which was reported: it is not rented any more.</returns>
    public bool TryDiscard(T[] array)
    {
        var bucket = Buckets.IndexOf(array.Length);
        ref var counters = ref CountersOf(bucket);
        if (IsPooled(bucket) && Detector?.TryDiscard(array, ref counters) == false)
        {
            return false;
        }

        counters.Discarded++;
        return true;
    }

    public Lease<T[]> RentLease(int length) => RentSlot(length).BeginLease();

    /// <summary>Takes a slot out of the pool; the caller starts its lease.</summary>
    public CacheSlot<T[]> RentSlot(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        var bucket = Buckets.IndexOf(Math.Max(1, length));
        if (IsPooled(bucket) && _stores[bucket]?.FindStack()?.TryPop() is { } slot)
        {
            return Unsafe.As<CacheSlot<T[]>>(slot);
        }

        return RentSlotSlow(bucket, length);
    }

    /// <summary>A slot for memory of length zero, which is not included in the statistics.</summary>
    public CacheSlot<T[]> RentEmptySlot()
    {
        Engine.ThrowIfDisposed(Name);
        return new CacheSlot<T[]>([], this, home: null, Engine.Time.GetTimestamp());
    }

    void ILeaseOwner<T[]>.Return(LeaseSlot<T[]> slot)
    {
        var array = slot.Item;
        var bucket = Buckets.IndexOf(array.Length);
        if (!IsPooled(bucket))
        {
            ReturnUnpooled(array);
            return;
        }

        var store = _stores[bucket]!;
        if (ClearsOnReturn && !TryClear(store, array))
        {
            return;
        }

        if (!(store.FindStack() is { } stack && stack.TryPush(slot)))
        {
            store.PutSlotSlow(Unsafe.As<CacheSlot<T[]>>(slot));
        }
    }

    void ILeaseOwner<T[]>.Discard(LeaseSlot<T[]> slot)
    {
        if (TryDiscard(slot.Item) && _clear == ClearPolicy.Sensitive)
        {
            Array.Clear(slot.Item);
        }
    }

    void ILeaseOwner<T[]>.Detach(LeaseSlot<T[]> slot)
    {
        var bucket = Buckets.IndexOf(slot.Item.Length);
        ref var counters = ref CountersOf(bucket);
        if (!IsPooled(bucket) || Detector?.TryDetach(slot.Item, ref counters) != false)
        {
            counters.Detached++;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private CacheSlot<T[]> RentSlotSlow(int bucket, int length)
    {
        Engine.ThrowIfDisposed(Name);
        return IsPooled(bucket)
            ? StoreOf(bucket).TakeSlotSlow() ?? StoreOf(bucket).AttachSlot(CreateForRent(bucket, length))
            : new CacheSlot<T[]>(CreateForRent(bucket, length), this, home: null, Engine.Time.GetTimestamp());
    }

    // The array is empty, or too long to pool.
    private void ReturnUnpooled(T[] array)
    {
        if (_clear == ClearPolicy.Sensitive)
        {
            Array.Clear(array);
        }

        if (array.Length > 0)
        {
            CountersOf(0).Surplus++;
        }
    }

    // In paranoid mode, an array is cleared only once it is certain that no other code uses it.
    private bool TryClear(LeasableStore<T[]> store, T[] array)
    {
        if (Detector is not null && !store.TryBeginReturn(array))
        {
            return false;
        }

        Array.Clear(array);
        return true;
    }

    // In paranoid mode the tables stay empty, so every rent and return takes the slow path, where it is checked.
    private void RefreshTable(int bucket, LeasableStore<T[]> store, ThreadStack own)
    {
        if (Detector is not null)
        {
            return;
        }

        if (typeof(T).IsValueType)
        {
            var thread = ThreadState<T>.GetOrCreate();
            if (_isShared && thread.FindShared(bucket) is null)
            {
                thread.AddShared(bucket, own);
            }
        }

        store.Items.CopyTable(ref Tables[bucket]);
    }

    private T[] CreateForRent(int bucket, int length)
    {
        var exact = IsPooled(bucket) ? Buckets.LengthOf(bucket) : length;

        // The arrays of a private pool contain only what its users wrote, never leftover memory of the process. The shared pool
        // behaves like ArrayPool<T>.Shared, whose new arrays are not zeroed.
        var array = _isShared ? GC.AllocateUninitializedArray<T>(exact) : new T[exact];
        if (IsPooled(bucket))
        {
            Detector?.OnCreated(array);
        }

        CountMiss(ref CountersOf(bucket));
        return array;
    }

    private static bool Clears(ClearPolicy clear) =>
        clear >= ClearPolicy.Always || (clear == ClearPolicy.References && RuntimeHelpers.IsReferenceOrContainsReferences<T>());

    // Lengths that are not pooled are counted with the shortest one: the statistics do not distinguish lengths.
    private ref CacheCounters CountersOf(int bucket) => ref StoreOf(IsPooled(bucket) ? bucket : 0).Counters;

    private static bool IsPooled(int bucket) => (uint)bucket < Buckets.Count;

    private LeasableStore<T[]> StoreOf(int bucket) => Volatile.Read(ref _stores[bucket]) ?? AddStore(bucket);

    private LeasableStore<T[]> AddStore(int bucket)
    {
        using (_gate.Enter())
        {
            if (_stores[bucket] is { } existing)
            {
                return existing;
            }

            var bytes = (long)Buckets.LengthOf(bucket) * Unsafe.SizeOf<T>();

            // In paranoid mode, this is the length of the quarantine; the threads keep nothing.
            var depth = bytes >= SharedFromBytes && Detector is null
                ? 0
                : (int)Math.Clamp(BytesPerStack / bytes, 1, ThreadStack.Capacity);
            var store = new LeasableStore<T[]>(Engine, bytes, depth, this, ClearsOnReturn, Detector);
            Volatile.Write(ref _stores[bucket], store);
            return store;
        }
    }
}
