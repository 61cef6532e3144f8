using System.Buffers;
using System.Diagnostics;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>
/// The content of a stream after its ownership was transferred to the caller: see <see cref="PooledStream.DetachBuffer"/>.
/// </summary>
/// <remarks>
/// Several threads may read concurrently. Concurrent disposal returns the blocks only once; the content must not be read after
/// that.
/// </remarks>
[DebuggerDisplay("{Length} bytes")]
public sealed class PooledSequence : IDisposable
{
    private BlockChain? _blocks;

    internal PooledSequence(long length, BlockChain blocks)
    {
        Length = length;
        _blocks = blocks;
        Sequence = blocks.ToSequence(length);
    }

    /// <summary>The number of bytes.</summary>
    public long Length { get; }

    /// <summary>The content.</summary>
    /// <exception cref="ObjectDisposedException">The sequence was disposed.</exception>
    public ReadOnlySequence<byte> Sequence => _blocks is not null ? field : throw StreamErrors.Disposed();

    /// <summary>Returns the blocks to their pool. Further calls have no effect.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _blocks, null) is { } blocks && !blocks.TryEnd())
        {
            blocks.ThrowIfMisused();
        }
    }
}
