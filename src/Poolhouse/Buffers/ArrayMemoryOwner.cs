using System.Buffers;

namespace Poolhouse.Buffers;

/// <summary>The owner that the memory pool returns: a lease of an array behind the standard .NET interface.</summary>
internal sealed class ArrayMemoryOwner<T> : IMemoryOwner<T>
{
    private Lease<T[]> _lease;

    /// <summary>Sets the owner's lease: once, or for each rent if owners are reused.</summary>
    public ArrayMemoryOwner<T> With(Lease<T[]> lease)
    {
        _lease = lease;
        return this;
    }

    public Memory<T> Memory => _lease.Value;

    public void Dispose() => _lease.Dispose();
}
