using System.Numerics;
using Poolhouse.Buffers;
using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings of a stream pool.</summary>
/// <remarks>
/// How many bytes are retained, for how long, and whether they are cleared are settings of the array pool that the blocks come
/// from: see <see cref="Arrays"/>.
/// </remarks>
public sealed class StreamPoolOptions : CacheOptions
{
    /// <summary>The default of <see cref="MaxRetained"/>.</summary>
    public const int DefaultMaxRetained = 1024;

    /// <summary>The largest <see cref="MaxRetained"/>.</summary>
    public const int LargestMaxRetained = 1 << 30;

    /// <summary>The default of <see cref="FirstBlockSize"/>: 1 KiB.</summary>
    public const int DefaultFirstBlockSize = 1 << 10;

    /// <summary>The default of <see cref="MaxBlockSize"/>: 1 MiB.</summary>
    public const int DefaultMaxBlockSize = 1 << 20;

    /// <summary>The default of <see cref="MaxLength"/>: 1 TiB.</summary>
    public const long DefaultMaxLength = 1L << 40;

    /// <summary>The largest <see cref="MaxLength"/>: 4 EiB.</summary>
    public const long LargestMaxLength = 1L << 62;

    private const int ShortestBlock = 16;

    /// <summary>How many disposed streams the pool keeps for the next ones, over all threads together.</summary>
    /// <value>1,024 by default; 1 to 1,073,741,824.</value>
    /// <remarks>
    /// A strict bound, at every instant. Each keeps its first block and no other: <see cref="FirstBlockSize"/> times this, 1 MiB
    /// by default, is what the pool retains beside the budget of <see cref="Arrays"/>.
    /// </remarks>
    public int MaxRetained { get; set; } = DefaultMaxRetained;

    /// <summary>Where all blocks but the first come from, and go back to when a stream is disposed.</summary>
    /// <value>
    /// <c>null</c> by default: <see cref="TieredArrayPool{T}.Shared"/>, so that streams and arrays share one budget of bytes. An
    /// array pool of one's own sets the budget (<see cref="ArrayPoolOptions.MaxRetainedBytes"/>), the idle time of blocks, and
    /// whether they are cleared (<see cref="ArrayPoolOptions.Clear"/>): <see cref="ClearPolicy.Sensitive"/> overwrites every
    /// block when its stream is disposed. It stays the caller's to dispose.
    /// </value>
    public TieredArrayPool<byte>? Arrays { get; set; }

    /// <summary>
    /// The size of a stream's first block, which stays with it. The ones after it double the capacity; a size hint or a first
    /// write that needs more begins with a longer one.
    /// </summary>
    /// <value>1,024 bytes by default; a power of two, from 16 to <see cref="MaxBlockSize"/>.</value>
    public int FirstBlockSize { get; set; } = DefaultFirstBlockSize;

    /// <summary>The size from which blocks stop growing.</summary>
    /// <value>1,048,576 bytes (1 MiB) by default; a power of two, from 16 bytes to 1 GiB.</value>
    /// <remarks>
    /// Also the most memory that a long stream may hold without need. <see cref="PooledStream.GetBuffer"/> and a size hint for
    /// <see cref="PooledStream.GetMemory"/> make longer blocks where they must.
    /// </remarks>
    public int MaxBlockSize { get; set; } = DefaultMaxBlockSize;

    /// <summary>
    /// How long a stream may become. A write beyond is an <see cref="IOException"/> that says so, and changes nothing.
    /// </summary>
    /// <value>1,099,511,627,776 bytes (1 TiB) by default; 1 to 4,611,686,018,427,387,904 (4 EiB).</value>
    public long MaxLength { get; set; } = DefaultMaxLength;

    /// <summary>Whether <see cref="PooledStream.ToArray"/> throws, to find the code that copies what it need not.</summary>
    /// <value>False by default.</value>
    public bool ThrowExceptionOnToArray { get; set; }

    /// <summary>Who hears of the streams' lives.</summary>
    /// <value><c>null</c> by default: nobody, and it costs nothing.</value>
    public StreamPoolObserver? Observer { get; set; }

    /// <summary>
    /// Whether <see cref="StreamPoolObserver.OnLeaked"/> is told where the stream was rented. Slow: for the search of a leak.
    /// </summary>
    /// <value>False by default.</value>
    public bool TrackLeases { get; set; }

    internal override void Validate(SettingErrors errors)
    {
        base.Validate(errors);
        errors.CheckRange(MaxRetained, nameof(MaxRetained), 1, LargestMaxRetained);
        errors.Check(
            IsBlockSize(MaxBlockSize), nameof(MaxBlockSize), MaxBlockSize, "a power of two from 16 to 1,073,741,824");
        errors.Check(
            IsBlockSize(FirstBlockSize) && FirstBlockSize <= MaxBlockSize,
            nameof(FirstBlockSize),
            FirstBlockSize,
            "a power of two from 16 to MaxBlockSize");
        errors.CheckRange(MaxLength, nameof(MaxLength), 1, LargestMaxLength);
    }

    private static bool IsBlockSize(int value) =>
        value is >= ShortestBlock and <= Buckets.LongestLength && BitOperations.IsPow2(value);
}
