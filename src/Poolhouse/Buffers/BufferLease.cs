using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Buffers;

namespace Poolhouse;

/// <summary>The right to use a pooled buffer of an exact length until the lease ends.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
/// <remarks>
/// A struct that can be copied freely: all copies represent the same lease, and it ends exactly once, as with
/// <see cref="Lease{T}"/>. A span or memory taken from it must not be used after that; such use cannot be detected.
/// <c>default</c> is a lease that has ended.
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(BufferLeaseDebugView<>))]
public readonly record struct BufferLease<T> : IDisposable
{
    private readonly Lease<T[]> _lease;

    internal BufferLease(Lease<T[]> lease, int length)
    {
        _lease = lease;
        Length = length;
    }

    /// <summary>The requested number of elements, which may be less than the length of the underlying array.</summary>
    public int Length { get; }

    /// <summary>Whether the lease is still active, that is, has not ended.</summary>
    public bool IsActive => _lease.IsActive;

    /// <summary>The elements.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public Span<T> Span
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _lease.Value.AsSpan(0, Length);
    }

    /// <summary>The elements, for code that holds them across an <c>await</c>.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public Memory<T> Memory => _lease.Value.AsMemory(0, Length);

    /// <summary>The elements, for code that needs an array.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public ArraySegment<T> Segment => new(_lease.Value, 0, Length);

    /// <summary>
    /// Ends the lease and returns the array. If the lease has already ended, the call has no effect, and the pool counts it.
    /// </summary>
    public void Dispose() => _lease.Dispose();

    /// <summary>
    /// Ends the lease and drops the array instead of reusing it. If the lease has already ended, the call has no effect, and the
    /// pool counts it.
    /// </summary>
    public void Discard() => _lease.Discard();

    /// <summary>Ends the lease and transfers ownership of the array to the caller.</summary>
    /// <returns>The elements, in an array that may be longer.</returns>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public ArraySegment<T> Detach() => new(_lease.Detach(), 0, Length);

    /// <summary>Describes the lease, but not the elements, in one line, for debuggers and logs.</summary>
    /// <returns>
    /// The length, the pool, whether the lease is active, and since when, if the pool knows. The format may change.
    /// </returns>
    public override string ToString() =>
        _lease.Describe($"Lease of {Length} elements");

    internal Lease<T[]> Lease => _lease;
}
