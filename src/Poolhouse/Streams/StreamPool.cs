using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Caching;
using Poolhouse.Caching.Misuse;
using Poolhouse.Caching.Threads;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>A cache of in-memory streams: an alternative to <see cref="MemoryStream"/> that uses pooled blocks.</summary>
/// <remarks>
/// <para>
/// A stream starts with a small block of its own and adds larger blocks as it grows, so it never copies its content; the larger
/// blocks are returned when it is disposed. They come from an array pool (<see cref="StreamPoolOptions.Arrays"/>), whose budget,
/// idle timeout and clear policy apply to them.
/// </para>
/// <para>
/// <see cref="Rent"/> allocates only the stream object (32 bytes), so that a reference used after disposal can never reach
/// another user's content.
/// </para>
/// <para>
/// A rent never waits and never fails because no stream is available. All members are thread safe. After <see cref="Dispose"/>,
/// renting throws; rented streams stay usable, and their blocks are still returned to the array pool.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class StreamPool : IPool, IDisposable
{
    private readonly CacheCore<StreamBody> _core;
    private readonly LeasableStore<StreamBody> _store;
    private readonly StreamPoolObserver? _observer;
    private readonly bool _throwsOnToArray;
    private readonly bool _tracksLeases;

    // Whether the array pool was created here.
    private readonly bool _ownsArrays;

    // A copy of the store's table; see ThreadStack.Find.
    private ThreadStack?[] _stacks = [];

    /// <summary>Creates a pool.</summary>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public StreamPool(StreamPoolOptions? options = null)
    {
        var settings = (options ?? new StreamPoolOptions()).Freeze<StreamPoolOptions>();

        // Blocks are checked by the array pool that they come from.
        _ownsArrays = settings.Arrays is null && settings.Paranoid is not (ParanoidMode.Default or ParanoidMode.Off);
        Arrays = settings.Arrays ?? (_ownsArrays ? CreateArrays(settings) : TieredArrayPool<byte>.Shared);
        FirstBlockSize = settings.FirstBlockSize;
        MaxBlockSize = settings.MaxBlockSize;
        MaxLength = settings.MaxLength;
        _observer = settings.Observer;
        _throwsOnToArray = settings.ThrowExceptionOnToArray;
        _tracksLeases = settings.TrackLeases;
        _core = new CacheCore<StreamBody>(
            typeof(PooledStream), settings, settings.MaxRetained, FirstBlockSize,
            new FirstBlockPoison(Arrays.Cache.ClearsOnReturn));
        _store = new LeasableStore<StreamBody>(
            _core.Engine, weight: 1, Math.Min(settings.MaxRetained, ThreadStack.Capacity), detector: _core.Detector);
    }

    /// <summary>The process-wide stream pool, with the default settings. Disposing it has no effect.</summary>
    public static StreamPool Shared { get; } = CreateShared();

    /// <inheritdoc/>
    public string Name => _core.Name;

    /// <summary>The array pool that the blocks come from. Its statistics include the number of retained bytes.</summary>
    public TieredArrayPool<byte> Arrays { get; }

    /// <summary>The maximum length of a stream in bytes.</summary>
    public long MaxLength { get; }

    internal int FirstBlockSize { get; }

    internal int MaxBlockSize { get; }

    /// <summary>Rents a stream that is empty, writable and at position 0.</summary>
    /// <param name="tag">
    /// A name for the stream in messages and for observers; <c>null</c> for none. Must not contain secrets.
    /// </param>
    /// <param name="sizeHint">
    /// The expected length in bytes, which determines the size of the first block; with 0, the first block is small. The stream
    /// may become shorter or longer than this.
    /// </param>
    /// <returns>The stream; dispose it to return its blocks.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public PooledStream Rent(string? tag = null, long sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        var body = Unsafe.As<StreamBody>(ThreadStack.Find(ThreadIndex.Current, _stacks)?.TryPop()) ?? TakeSlow();
        var stream = new PooledStream(body);
        body.Begin(tag, sizeHint);
        if (_observer is not null)
        {
            NoteRented(body, sizeHint);
        }

        return stream;
    }

    /// <summary>Creates a delegate that rents streams, for libraries that create their own streams.</summary>
    /// <param name="tag">The tag; see <see cref="Rent"/>.</param>
    /// <param name="sizeHint">The size hint; see <see cref="Rent"/>.</param>
    /// <returns>A delegate that rents a stream on each call. Thread safe.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    public Func<Stream> AsFactory(string? tag = null, long sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        return () => Rent(tag, sizeHint);
    }

    /// <summary>
    /// Drops the streams that the pool retains. Blocks belong to the array pool: trim <see cref="Arrays"/> to drop them.
    /// </summary>
    /// <returns>The number of streams dropped.</returns>
    public int Trim() => _core.Trim();

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>
    /// The numbers of streams rented, returned and so on. <see cref="CachePoolStatistics.RetainedBytes"/> covers the first blocks
    /// of the retained streams; the statistics of <see cref="Arrays"/> cover the larger blocks.
    /// </returns>
    public CachePoolStatistics GetStatistics() => _core.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <inheritdoc/>
    /// <remarks>Empty unless the pool is in paranoid mode; see <see cref="CacheOptions.Paranoid"/>.</remarks>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _core.GetLeases(max);

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <summary>
    /// Drops the retained streams; later rents throw. Further calls have no effect. Disposing <see cref="Shared"/>, which belongs
    /// to the whole process, has no effect either.
    /// </summary>
    /// <remarks>
    /// If the pool created its own array pool (<see cref="StreamPoolOptions.Arrays"/>), that one drops its retained blocks and is
    /// no longer reported to metrics; streams that are still rented continue to use it.
    /// </remarks>
    public void Dispose()
    {
        if (this == Shared)
        {
            return;
        }

        _core.Dispose();
        if (_ownsArrays)
        {
            // Not disposed, because rented streams stay usable: they continue to rent and return blocks.
            Arrays.Trim();
            Arrays.Cache.EndReport();
        }
    }

    /// <summary>Since when a stream is rented and by whom; null unless the pool is in paranoid mode.</summary>
    internal LeaseSnapshot? FindLease(StreamBody body) => _core.Detector?.FindLease(body);

    /// <summary>Takes back the body of a stream. Called once per stream, by the caller that closed it.</summary>
    internal void Return(StreamBody body)
    {
        if (_observer is not null)
        {
            NoteReturned(body);
        }

        if (!body.TryEnd())
        {
            Drop(body);
        }
        else if (!(ThreadStack.Find(ThreadIndex.Current, _stacks) is { } stack && stack.TryPush(body)))
        {
            PutSlow(body);
        }
    }

    internal void NoteToArray(StreamBody body)
    {
        Notify(
            new StreamCopiedToArrayArgs(this, body.Tag, body.Length),
            static (observer, copied) => observer.OnCopiedToArray(copied));
        if (_throwsOnToArray)
        {
            throw new NotSupportedException(
                $"Pool '{Name}': ToArray copies the content, which ThrowExceptionOnToArray forbids. " +
                "Use WrittenSequence, CopyTo or DetachBuffer.");
        }
    }

    internal IOException TooLong(string? tag, long position, int count)
    {
        Notify(
            new StreamTooLongArgs(this, tag, position, count), static (observer, refused) => observer.OnTooLong(refused));
        return new IOException(
            $"Pool '{Name}': a write of {count} bytes at {position} would make " +
            $"{(tag is null ? "the stream" : $"stream '{tag}'")} longer than MaxLength, {MaxLength} bytes. Write less, or " +
            "raise StreamPoolOptions.MaxLength.");
    }

    internal void ReportLeak(StreamSentinel leaked) =>
        Notify(leaked, static (observer, leaked) => observer.OnLeaked(leaked.Describe()));

    internal TimeSpan TimeSince(long rentedAt) => _core.Engine.Time.GetElapsedTime(rentedAt);

    private void Drop(StreamBody body)
    {
        _core.Detector?.OnDropped(body);
        _store.Counters.Discarded++;
        body.Blocks.ThrowIfMisused();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void NoteRented(StreamBody body, long sizeHint)
    {
        body.Sentinel = new StreamSentinel(
            this, body.Tag, _core.Engine.Time.GetTimestamp(), _tracksLeases ? new StackTrace(fNeedFileInfo: true) : null);
        Notify(new StreamRentedArgs(this, body.Tag, sizeHint), static (observer, rented) => observer.OnRented(rented));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void NoteReturned(StreamBody body)
    {
        var sentinel = body.Sentinel!;
        sentinel.Disarm();
        body.Sentinel = null;
        Notify(
            new StreamReturnedArgs(this, body.Tag, body.Length, sentinel.LeasedFor),
            static (observer, returned) => observer.OnReturned(returned));
    }

    private void Notify<TArgs>(TArgs args, Action<StreamPoolObserver, TArgs> notify)
    {
        if (_observer is not null)
        {
            UserCode.Notify(_observer, args, notify);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private StreamBody TakeSlow()
    {
        _core.Engine.ThrowIfDisposed(Name);
        var body = _store.TakeSlow(_store.Items.Own()) ?? CreateForRent();
        _store.Items.CopyTable(ref _stacks);
        return body;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PutSlow(StreamBody body)
    {
        _store.PutSlow(_store.Items.Own(), body);
        _store.Items.CopyTable(ref _stacks);
    }

    private StreamBody CreateForRent()
    {
        var body = new StreamBody(this);
        _core.Detector?.OnCreated(body);
        _core.CountMiss(ref _store.Counters);
        return body;
    }

    private static TieredArrayPool<byte> CreateArrays(StreamPoolOptions settings) => new(new ArrayPoolOptions
    {
        Name = settings.Name ?? PoolNames.For(typeof(PooledStream)),
        Paranoid = settings.Paranoid,
        ParanoidSampling = settings.ParanoidSetting.Sampling,
        TimeProvider = settings.TimeProvider,
        Meter = settings.Meter,
        MeterFactory = settings.MeterFactory,
    });

    private static StreamPool CreateShared()
    {
        var pool = new StreamPool();
        LeaseWatch.Installed?.OnDisposed(pool._core);
        return pool;
    }
}
