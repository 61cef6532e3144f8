using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace Poolhouse.AspNetCore;

/// <summary>Provides each part of Kestrel that requests a memory pool with one over the same arrays. Thread safe.</summary>
// Kestrel creates a pool for each of its I/O queues and disposes it with the server, while responses may still hold memory. So
// the pools own nothing: the container owns the arrays, and memory that is returned to a closed pool is dropped. Owners are
// reused, as those of the built-in pool are: a pipe disposes the owner of a segment once.
internal sealed class KestrelMemory(ArrayPoolOptions options) : IMemoryPoolFactory<byte>, IDisposable
{
    private readonly TieredArrayPool<byte> _arrays = new(options);

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new TieredMemoryPool<byte>(_arrays, reuseOwners: true);

    public void Dispose() => _arrays.Dispose();
}
