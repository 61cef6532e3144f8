using System.Numerics;
using Poolhouse.Buffers;

namespace Poolhouse;

/// <summary>The settings of a stream pool.</summary>
/// <remarks>
/// The number of bytes retained, how long they are retained, and whether they are cleared are settings of the array pool that the
/// blocks come from; see <see cref="Arrays"/>.
/// </remarks>
public sealed class StreamPoolOptions : CacheOptions
{
    /// <summary>The default of <see cref="MaxRetained"/>.</summary>
    public const int DefaultMaxRetained = 1024;

    /// <summary>The largest allowed value of <see cref="MaxRetained"/>.</summary>
    internal const int LargestMaxRetained = 1 << 30;

    /// <summary>The default of <see cref="FirstBlockSize"/>: 1 KiB.</summary>
    public const int DefaultFirstBlockSize = 1 << 10;

    /// <summary>The default of <see cref="MaxBlockSize"/>: 1 MiB.</summary>
    public const int DefaultMaxBlockSize = 1 << 20;

    /// <summary>The default of <see cref="MaxLength"/>: 1 TiB.</summary>
    public const long DefaultMaxLength = 1L << 40;

    /// <summary>The largest allowed value of <see cref="MaxLength"/>: 4 EiB.</summary>
    internal const long LargestMaxLength = 1L << 62;

    private const int ShortestBlock = 16;

    /// <summary>The maximum number of disposed streams that the pool retains for reuse, over all threads together.</summary>
    /// <value>1,024 by default; 1 to 1,073,741,824.</value>
    /// <remarks>
    /// A strict bound that holds at every instant. Each stream keeps only its first block: the pool retains up to
    /// <see cref="FirstBlockSize"/> times this value, 1 MiB by default, in addition to the budget of <see cref="Arrays"/>.
    /// </remarks>
    public int MaxRetained { get; set; } = DefaultMaxRetained;

    /// <summary>
    /// The array pool that provides all blocks but the first, and to which they are returned when a stream is disposed.
    /// </summary>
    /// <value>
    /// <c>null</c> by default: <see cref="TieredArrayPool{T}.Shared"/>, so that streams and arrays share one byte budget. Set a
    /// separate array pool to control the budget (<see cref="ArrayPoolOptions.MaxRetainedBytes"/>), the idle timeout of blocks,
    /// and whether they are cleared (<see cref="ArrayPoolOptions.Clear"/>): <see cref="ClearPolicy.Sensitive"/> clears every
    /// block when its stream is disposed. The caller remains responsible for disposing that pool. If
    /// <see cref="CacheOptions.Paranoid"/> is set to report or throw, the default is an array pool of its own in the same mode,
    /// because only an array pool in paranoid mode checks blocks. It has the meter of the stream pool, and is emptied and no
    /// longer reported when the stream pool is disposed.
    /// </value>
    public TieredArrayPool<byte>? Arrays { get; set; }

    /// <summary>
    /// The size of a stream's first block, which stays with the stream. Each further block doubles the capacity; if a size hint
    /// or the first write needs more, the stream starts with a longer block.
    /// </summary>
    /// <value>1,024 bytes by default; a power of two, from 16 to <see cref="MaxBlockSize"/>.</value>
    public int FirstBlockSize { get; set; } = DefaultFirstBlockSize;

    /// <summary>The block size at which blocks stop growing.</summary>
    /// <value>1,048,576 bytes (1 MiB) by default; a power of two, from 16 bytes to 1 GiB.</value>
    /// <remarks>
    /// This is also the maximum amount of unused memory that a long stream may hold. <see cref="PooledStream.GetBuffer"/> and a
    /// size hint for <see cref="PooledStream.GetMemory"/> create longer blocks where necessary.
    /// </remarks>
    public int MaxBlockSize { get; set; } = DefaultMaxBlockSize;

    /// <summary>
    /// The maximum length of a stream. A write beyond it throws an <see cref="IOException"/> that names the limit, and has no
    /// effect.
    /// </summary>
    /// <value>1,099,511,627,776 bytes (1 TiB) by default; 1 to 4,611,686,018,427,387,904 (4 EiB).</value>
    public long MaxLength { get; set; } = DefaultMaxLength;

    /// <summary>
    /// Whether <see cref="PooledStream.ToArray"/> throws; use it to find code that copies the content unnecessarily.
    /// </summary>
    /// <value>False by default.</value>
    public bool ThrowExceptionOnToArray { get; set; }

    /// <summary>Receives the events of the pool's streams.</summary>
    /// <value><c>null</c> by default, which causes no overhead.</value>
    public StreamPoolObserver? Observer { get; set; }

    /// <summary>
    /// Whether <see cref="StreamPoolObserver.OnLeaked"/> receives the call stack of the rent. Slow; intended for finding leaks.
    /// </summary>
    /// <value>False by default.</value>
    public bool TrackLeases { get; set; }

    internal override void Validate(PoolOptionErrors errors)
    {
        base.Validate(errors);
        errors.CheckRange(MaxRetained, nameof(MaxRetained), 1, LargestMaxRetained);
        ValidateBlockSizes(errors);
        errors.CheckRange(MaxLength, nameof(MaxLength), 1, LargestMaxLength);
    }

    // The two are compared only if each is valid, so that one mistake is reported once. If only the maximum was set, the size of
    // the first block is not what is wrong.
    private void ValidateBlockSizes(PoolOptionErrors errors)
    {
        var (firstIsValid, maxIsValid) = (IsBlockSize(FirstBlockSize), IsBlockSize(MaxBlockSize));
        var exceeds = firstIsValid && maxIsValid && FirstBlockSize > MaxBlockSize;
        var firstWasSet = FirstBlockSize != DefaultFirstBlockSize;
        errors.Check(
            maxIsValid && !(exceeds && !firstWasSet), nameof(MaxBlockSize), MaxBlockSize,
            $"a power of two from {(exceeds ? $"FirstBlockSize ({FirstBlockSize})" : "16")} to 1,073,741,824");
        errors.Check(
            firstIsValid && !(exceeds && firstWasSet), nameof(FirstBlockSize), FirstBlockSize,
            maxIsValid ? $"a power of two from 16 to MaxBlockSize ({MaxBlockSize})" : "a power of two from 16 to MaxBlockSize");
    }

    private static bool IsBlockSize(int value) =>
        value is >= ShortestBlock and <= Buckets.LongestLength && BitOperations.IsPow2(value);
}
