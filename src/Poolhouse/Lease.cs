using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Caching;

namespace Poolhouse;

/// <summary>The right to use one item of a pool until the lease ends.</summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// A struct that can be copied freely: all copies are the same lease. It ends exactly once, by the first <see cref="Dispose"/>,
/// <see cref="Discard"/> or <see cref="Detach"/> on any copy from any thread. Later calls have no effect; the pool counts each of
/// them as a double return. <c>default</c> is a lease that has already ended.
/// </para>
/// <para>The lease itself is thread safe; whether the item is depends on its type.</para>
/// <code>
/// using var lease = pool.Rent();
/// lease.Value.Append("…");
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(LeaseDebugView<>))]
public readonly record struct Lease<T> : IDisposable, IAsyncDisposable
{
    private readonly LeaseSlot<T>? _slot;
    private readonly long _version;

    internal Lease(LeaseSlot<T> slot, long version)
    {
        _slot = slot;
        _version = version;
    }

    internal LeaseSlot<T>? Slot => _slot;

    internal string? PoolName => _slot?.Owner.Name;

    /// <summary>Since when the item is leased and by whom; null if the lease has ended or the pool does not know.</summary>
    internal LeaseSnapshot? Snapshot => IsActive && _slot!.Owner.FindLease(_slot) is { } lease && IsActive ? lease : null;

    /// <summary>The leased item.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended, through this or any other copy.</exception>
    public T Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (_slot is { } slot)
            {
                // Read before the check: if the lease is still this version afterwards, the item was this lease's. The barrier
                // keeps the order on processors that may load the version first (test/verification/Poolhouse.Model/lease.pml); on
                // others it costs nothing.
                var item = slot.Item;
                Volatile.ReadBarrier();
                if (slot.IsCurrent(_version))
                {
                    return item;
                }
            }

            throw LeaseEnded();
        }
    }

    /// <summary>Whether the lease has not ended yet.</summary>
    public bool IsActive => _slot is { } slot && slot.IsCurrent(_version);

    /// <summary>Usage information about the item: how often it was leased, its age and its idle time.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public LeaseInfo Info
    {
        get
        {
            if (IsActive)
            {
                // Checked again, as for the value: the slot may serve another lease by now.
                var info = _slot!.Owner.GetInfo(_slot);
                Volatile.ReadBarrier();
                if (IsActive)
                {
                    return info;
                }
            }

            throw LeaseEnded();
        }
    }

    /// <summary>
    /// Ends the lease and returns the item to its pool. Has no effect if the lease has already ended; the pool counts the call as
    /// a double return.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        if (_slot is not { } slot)
        {
            return;
        }

        if (!slot.TryEnd(_version))
        {
            slot.Owner.CountDoubleReturn();
        }
        else if (slot.HasOwner || slot.WasTainted
            || Unsafe.As<CacheSlot<T>>(slot).FindStack() is not { } stack || !stack.TryPush(slot))
        {
            slot.Owner.Return(slot);
        }
    }

    /// <summary>Does the same as <see cref="Dispose"/>, for asynchronous code.</summary>
    /// <returns>
    /// A completed task; only for a resource pool with
    /// <see cref="ResourcePoolOptions.AwaitReset"/> set, a task that completes when the item's reset has ended.
    /// </returns>
    public ValueTask DisposeAsync()
    {
        if (_slot is { } slot)
        {
            if (!slot.TryEnd(_version))
            {
                slot.Owner.CountDoubleReturn();
            }
            else if (slot.HasOwner || slot.WasTainted
                || Unsafe.As<CacheSlot<T>>(slot).FindStack() is not { } stack || !stack.TryPush(slot))
            {
                return slot.Owner.ReturnAsync(slot);
            }
        }

        return default;
    }

    /// <summary>
    /// Marks the item as possibly unsafe for its next user, because an operation on it failed, timed out or was cancelled.
    /// </summary>
    /// <remarks>
    /// The lease remains active. When it ends, the item is destroyed instead of reused, unless the policy of a resource pool
    /// proves it clean. Has no effect if the lease has already ended: the next lease of the item is not affected.
    /// </remarks>
    public void Taint()
    {
        if (_slot is { } slot && slot.IsCurrent(_version))
        {
            slot.Taint(_version);
        }
    }

    /// <summary>
    /// Ends the lease; the item is destroyed instead of reused. Has no effect if the lease has already ended; the pool counts the
    /// call as a double return.
    /// </summary>
    public void Discard()
    {
        if (_slot is not { } slot)
        {
            return;
        }

        if (slot.TryEnd(_version))
        {
            slot.Owner.Discard(slot);
        }
        else
        {
            slot.Owner.CountDoubleReturn();
        }
    }

    /// <summary>Ends the lease, transfers ownership of the item to the caller and releases its slot in the pool.</summary>
    /// <returns>The item. The pool does not reset or dispose it.</returns>
    /// <exception cref="ObjectDisposedException">The lease has ended, so the item can no longer be detached.</exception>
    public T Detach()
    {
        if (_slot is { } slot)
        {
            if (slot.TryEnd(_version))
            {
                var item = slot.Item;
                slot.Owner.Detach(slot);
                return item;
            }

            slot.Owner.CountDoubleReturn();
        }

        throw LeaseEnded();
    }

    /// <summary>Describes the lease, but not the item, in one line, for debuggers and logs.</summary>
    /// <returns>The pool, whether the lease is active, and since when, if the pool knows. The format may change.</returns>
    public override string ToString() => Describe("Lease");

    internal string Describe(string what)
    {
        var pool = PoolName is { } name ? $" of pool '{name}'" : "";
        return $"{what}{pool}: {(IsActive ? Snapshot?.ToString() ?? "active" : "ended")}";
    }

    private ObjectDisposedException LeaseEnded() => LeaseErrors.Ended(_slot?.Owner.Name);
}
