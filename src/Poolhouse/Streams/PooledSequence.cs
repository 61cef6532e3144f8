using System.Buffers;
using System.Diagnostics;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>The content of a stream whose owner is the caller: see <see cref="PooledStream.DetachBuffer"/>.</summary>
/// <remarks>
/// Reading is safe from several threads. Disposing from several threads gives the blocks back once; nobody may read any more
/// then.
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

    /// <summary>How many bytes it is.</summary>
    public long Length { get; }

    /// <summary>The bytes.</summary>
    /// <exception cref="ObjectDisposedException">The sequence was disposed.</exception>
    public ReadOnlySequence<byte> Sequence => _blocks is not null ? field : throw StreamErrors.Disposed();

    /// <summary>Gives the blocks back to their pool. Calling it again does nothing.</summary>
    public void Dispose() => Interlocked.Exchange(ref _blocks, null)?.TryEnd();
}
