using System.Buffers;

namespace Poolhouse.Buffers;

/// <summary>The owner that the memory pool hands out: a lease of an array behind the interface that .NET code takes.</summary>
internal sealed class ArrayMemoryOwner<T> : IMemoryOwner<T>
{
    private Lease<T[]> _lease;

    /// <summary>Gives the owner its lease: once, or for each rent where owners are used again.</summary>
    public ArrayMemoryOwner<T> With(Lease<T[]> lease)
    {
        _lease = lease;
        return this;
    }

    public Memory<T> Memory => _lease.Value;

    public void Dispose() => _lease.Dispose();
}
