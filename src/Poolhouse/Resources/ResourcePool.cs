using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>
/// A bounded pool of items that are expensive to create and must not be shared while in use: connections, sessions, processes.
/// </summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// At most <see cref="ResourcePoolOptions.MaxSize"/> items are alive. A caller that finds no idle item waits; synchronous and
/// asynchronous callers wait in one queue and are served in order of arrival. Every rent has a deadline, which holds even if a
/// hook of the policy hangs.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys idle items; leases remain active, and their items are destroyed as
/// they end.
/// </para>
/// <code>
/// await using var lease = await pool.RentAsync(cancellationToken);
/// await lease.Value.SendAsync(message, cancellationToken);
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed partial class ResourcePool<T> : IPool, IInnerPool, IAsyncDisposable, IDisposable
    where T : notnull
{
#pragma warning disable CA2213 // It outlives the pool's disposal until everything is destroyed, and then disposes itself.
    private readonly ResourceRuntime<T> _runtime;
#pragma warning restore CA2213
    private readonly ResourceRents<T> _rents;
    private bool _recordsCallers;

    /// <summary>
    /// Creates a pool. If <see cref="ResourcePoolOptions.MinIdle"/> is set, the pool starts to fill in the background.
    /// </summary>
    /// <param name="policy">How items are created, validated, reset and destroyed.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public ResourcePool(ResourcePolicy<T> policy, ResourcePoolOptions options)
        : this(policy, options, share: null, reportedAs: null)
    {
    }

    /// <summary>
    /// Creates the pool of one key, which shares the capacity of the keyed pool and is reported as a part of it.
    /// </summary>
    internal ResourcePool(
        ResourcePolicy<T> policy,
        ResourcePoolOptions options,
        SharedCapacity<T>.Member? share,
        IPool? reportedAs,
        ResourceHooks? hooks = null,
        object? outerQueue = null)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        var frozen = options.Freeze();
        Name = frozen.Name ?? PoolNames.For(typeof(T));
        _recordsCallers = frozen.RecordsCallers;
        var reporter = frozen.EffectiveReporter;
        _runtime = new ResourceRuntime<T>(
            policy, hooks ?? policy.Hooks, frozen, share, Name, reportedAs ?? this, reporter, outerQueue);
        _rents = new ResourceRents<T>(_runtime);
        if (reportedAs is null)
        {
            _runtime.Registration = new ReporterRegistration(reporter, this);
        }

        _runtime.Start();
    }

    /// <inheritdoc/>
    public string Name { get; }

    internal ResourceRuntime<T> Runtime => _runtime;

    /// <summary>Rents an item; waits at most for <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="PoolTimeoutException">The timeout elapsed.</exception>
    /// <exception cref="PoolOverloadedException">Too many callers are waiting.</exception>
    /// <exception cref="PoolUnavailableException">
    /// Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.
    /// </exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask<Lease<T>> RentAsync(CancellationToken cancellationToken = default)
    {
        ResourceEntry<T>? unusable = null;
        return !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? new ValueTask<Lease<T>>(lease)
            : RentSlowAsync(unusable, timeout: null, cancellationToken);
    }

    /// <summary>Rents an item; waits at most for the given timeout.</summary>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is out of range.</exception>
    /// <exception cref="PoolTimeoutException">The timeout elapsed.</exception>
    /// <exception cref="PoolOverloadedException">Too many callers are waiting.</exception>
    /// <exception cref="PoolUnavailableException">
    /// Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.
    /// </exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask<Lease<T>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ThrowIfOutOfRange(timeout);
        ResourceEntry<T>? unusable = null;
        return !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? new ValueTask<Lease<T>>(lease)
            : RentSlowAsync(unusable, timeout, cancellationToken);
    }

    /// <summary>
    /// Rents an item; blocks for at most <see cref="ResourcePoolOptions.RentTimeout"/>. Use it only in code that cannot await.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="PoolTimeoutException">The timeout elapsed.</exception>
    /// <exception cref="PoolOverloadedException">Too many callers are waiting.</exception>
    /// <exception cref="PoolUnavailableException">
    /// Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.
    /// </exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Lease<T> Rent(CancellationToken cancellationToken = default)
    {
        ResourceEntry<T>? unusable = null;
        return !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? lease
            : RentSlow(unusable, timeout: null, cancellationToken);
    }

    /// <summary>Rents an item; blocks for at most the given timeout. Use it only in code that cannot await.</summary>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is out of range.</exception>
    /// <exception cref="PoolTimeoutException">The timeout elapsed.</exception>
    /// <exception cref="PoolOverloadedException">Too many callers are waiting.</exception>
    /// <exception cref="PoolUnavailableException">
    /// Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.
    /// </exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Lease<T> Rent(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ThrowIfOutOfRange(timeout);
        ResourceEntry<T>? unusable = null;
        return !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? lease
            : RentSlow(unusable, timeout, cancellationToken);
    }

    /// <summary>Rents an idle item if one can be used at once; creates nothing and does not overtake waiting callers.</summary>
    /// <param name="lease">The lease, or one that has ended.</param>
    /// <returns>
    /// False if none is idle, others are waiting, the pool is suspended, or the item must be validated first; it is then
    /// validated in the background.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryRent(out Lease<T> lease)
    {
        ResourceEntry<T>? unusable = null;
        if (!_recordsCallers && _rents.TryRentHot(out lease, out unusable))
        {
            return true;
        }

        if (unusable is null)
        {
            ThrowIfClosed();
        }

        if (_rents.TryRentIdle(unusable, Trace(), out lease, out var stale))
        {
            return true;
        }

        _rents.ValidateInBackground(stale);
        return false;
    }

    internal bool Owns(Lease<T> lease) => lease.Slot?.Owner == _runtime.Returns;

    internal static void ThrowIfOutOfRange(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(timeout, TimeSpan.FromMilliseconds(uint.MaxValue - 1));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ValueTask<Lease<T>> RentSlowAsync(
        ResourceEntry<T>? unusable, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            _rents.ValidateInBackground(unusable);
            return ValueTask.FromCanceled<Lease<T>>(cancellationToken);
        }

        var trace = Prepare(unusable);
        if (_rents.TryRentIdle(unusable, trace, out var lease, out var stale))
        {
            return new ValueTask<Lease<T>>(lease);
        }

        var ticks = Ticks(timeout);
        return ticks == 0 && _runtime.Core.IsOpen
            ? ValueTask.FromException<Lease<T>>(_rents.NoTimeToWait(stale, trace))
            : _rents.WaitAsync(stale, trace, ticks, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Lease<T> RentSlow(ResourceEntry<T>? unusable, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            _rents.ValidateInBackground(unusable);
            throw new OperationCanceledException(cancellationToken);
        }

        var trace = Prepare(unusable);
        if (_rents.TryRentIdle(unusable, trace, out var lease, out var stale))
        {
            return lease;
        }

        var ticks = Ticks(timeout);
        if (ticks == 0 && _runtime.Core.IsOpen)
        {
            throw _rents.NoTimeToWait(stale, trace);
        }

        return _rents.Wait(stale, trace, ticks, cancellationToken);
    }

    /// <param name="timeout">Null for that of the pool.</param>
    private long Ticks(TimeSpan? timeout) =>
        timeout is { } given ? _runtime.Clock.Ticks(given) : _runtime.Settings.RentTimeout;

    /// <summary>Allocates what the thread and the caller need; keeps the entry that the caller holds if that fails.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private LeaseTrace? Prepare(ResourceEntry<T>? unusable)
    {
        try
        {
            ThreadIndex.GetOrAssign();
            return Trace();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            _rents.ValidateInBackground(unusable);
            throw;
        }
    }

    // Not inlined, so that the trace begins with the caller's frame or the pool's public method.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private LeaseTrace? Trace() => _recordsCallers ? LeaseTrace.Capture(_runtime.Settings.Options.TrackLeases) : null;

    private void ThrowIfClosed()
    {
        if (!_runtime.Core.IsOpen)
        {
            throw RentErrors.Closed(_runtime.Events.Pool.Name);
        }
    }
}
