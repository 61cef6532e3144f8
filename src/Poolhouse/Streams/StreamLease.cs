using System.Diagnostics;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>The right to use a pooled stream until the lease ends; renting one allocates nothing.</summary>
/// <remarks>
/// <para>
/// A struct that can be copied freely: all copies represent the same lease, and it ends exactly once, as with
/// <see cref="Lease{T}"/>. <c>default</c> is a lease that has ended.
/// </para>
/// <para>
/// The stream object is reused by later leases. Keep the lease, not the stream: <see cref="Stream"/> throws once the lease has
/// ended, whereas a stream reference could access the content of the stream's next user. Code that receives the stream may
/// dispose it, even several times; that closes the stream, and the stream is returned when the lease ends. For code that may hold
/// on to a stream, use <see cref="StreamPool.Rent"/>.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
public readonly struct StreamLease : IDisposable, IEquatable<StreamLease>
{
    private readonly Lease<StreamBody> _lease;

    internal StreamLease(Lease<StreamBody> lease) => _lease = lease;

    /// <summary>The stream.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public PooledStream Stream => _lease.Value.ReusedStream!;

    /// <summary>Whether the lease is still active, that is, has not ended.</summary>
    public bool IsActive => _lease.IsActive;

    /// <summary>
    /// Ends the lease and returns the stream. If the lease has already ended, the call has no effect, and the pool counts it.
    /// </summary>
    public void Dispose() => _lease.Dispose();

    /// <summary>
    /// Ends the lease and drops the stream and its blocks instead of reusing them. If the lease has already ended, the call has
    /// no effect, and the pool counts it.
    /// </summary>
    public void Discard() => _lease.Discard();

    /// <summary>Describes the lease, but not the content of the stream, in one line, for debuggers and logs.</summary>
    /// <returns>The pool, whether the lease is active, and since when, if the pool knows. The format may change.</returns>
    public override string ToString() => _lease.Describe("Lease of a stream");

    /// <summary>Whether both values are the same lease.</summary>
    /// <param name="other">The lease to compare with.</param>
    /// <returns>True for copies of one lease.</returns>
    public bool Equals(StreamLease other) => _lease == other._lease;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is StreamLease other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _lease.GetHashCode();

    /// <summary>Whether both values are the same lease.</summary>
    public static bool operator ==(StreamLease left, StreamLease right) => left.Equals(right);

    /// <summary>Whether the values are different leases.</summary>
    public static bool operator !=(StreamLease left, StreamLease right) => !left.Equals(right);
}
