using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Servers.Internal;

namespace Poolhouse.Servers;

/// <summary>
/// An item on one of the servers of a <see cref="ServerSet{TServer}"/>, which counts it until it is disposed or detached.
/// </summary>
/// <typeparam name="TServer">The type that identifies a server.</typeparam>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// Thread safe, except for <see cref="Value"/>. It may itself be the item of a resource pool: then nothing else has to be
/// done when it is destroyed. Alternatively, the policy's own item holds it. An instance that is neither disposed nor detached is
/// no longer counted once the garbage collector has finalized it.
/// </remarks>
public sealed class ServerItem<TServer, T> : IAsyncDisposable, IDisposable
    where TServer : notnull
    where T : notnull
{
    private readonly ServerItemTracker<TServer> _tracker;
    private readonly ServerState<TServer> _state;

    internal ServerItem(ServerItemTracker<TServer> tracker, T value)
    {
        _tracker = tracker;
        _state = tracker.State;
        Value = value;
    }

    /// <summary>The item that the create delegate returned.</summary>
    public T Value { get; }

    /// <summary>The server that the item is on.</summary>
    public TServer Server => _state.Server;

    /// <summary>
    /// Whether the item should be replaced by a new one on a better server. Call it in <see cref="ResourcePolicy{T}.IsBroken"/>.
    /// </summary>
    /// <returns>
    /// True if the item is older than <see cref="ServerSetOptions.FailBackAge"/>, a more preferred server is up again, and it
    /// is this item's turn; or if its server was removed from the list and another one is up. When a more preferred server is
    /// due for its re-check, this returns true for one item, however often it is called, so that the next creation tries that
    /// server; for another item after each <see cref="ServerSetOptions.RecheckDelay"/> without such a creation. If no server is
    /// preferred (<see cref="ServerSetOptions.Selection"/>), items created before another server came back or was added give
    /// way to it while it has fewer items than theirs. If a role was required, an item gives way only to servers that have it, or
    /// may have it: at once if its server has lost it, and if a standby is preferred, to any standby.
    /// </returns>
    /// <remarks>For an item on the preferred server, the call only reads two fields.</remarks>
    public bool ShouldFailBack() =>
        (_state.Position != 0 || !_tracker.Set.IsOrdered || _tracker.Required != RequiredRole.Any)
        && _tracker.Set.ShouldFailBack(_tracker);

    /// <summary>Reports that the server failed while the item was in use: new items go to other servers for a while.</summary>
    /// <param name="failure">The exception that was thrown, for the statistics.</param>
    /// <remarks>
    /// Report errors that concern the server (a lost connection, "shutting down"), not errors of a single request. When all items
    /// of a server break together, that counts as one failure; and a report is not counted if the server has failed since the
    /// item was created, because that failure is already known.
    /// </remarks>
    public void ReportFailure(Exception? failure = null) => _tracker.Set.ReportFailure(_tracker, failure);

    /// <summary>
    /// Reports an error that shows that the server refuses writes: its role is unknown from now on, and all items that were
    /// created on it because it was a primary should be replaced (<see cref="ShouldFailBack"/>).
    /// </summary>
    /// <remarks>
    /// Has no effect unless the item was created with <see cref="RequiredRole.Primary"/>, nor if the loss has been reported since
    /// the creation of the item began.
    /// </remarks>
    public void ReportRoleLost() => _tracker.Set.ReportRoleLost(_tracker);

    /// <summary>
    /// Stops counting the item and transfers ownership of <see cref="Value"/> to the caller. Repeated calls have no effect.
    /// </summary>
    /// <returns><see cref="Value"/>, which the caller must destroy.</returns>
    public T Detach()
    {
        _tracker.TryLeave();
        return Value;
    }

    /// <summary>
    /// Stops counting the item and disposes <see cref="Value"/>, if it is disposable. Repeated calls have no effect.
    /// </summary>
    /// <remarks>
    /// If the value can only be disposed asynchronously, its disposal is started and not awaited, and its exceptions are ignored.
    /// </remarks>
    public void Dispose()
    {
        // Removed from the count before it is closed: a close that hangs must not make the server look busy indefinitely.
        if (!_tracker.TryLeave())
        {
            return;
        }

        if (Value is IDisposable disposable)
        {
            disposable.Dispose();
        }
        else
        {
            _ = FailoverSequence<TServer>.DisposeLateAsync(Task.FromResult(Value));
        }
    }

    /// <summary>
    /// Stops counting the item and disposes <see cref="Value"/>, asynchronously if possible. Repeated calls have no effect.
    /// </summary>
    /// <returns>A task that completes when the value is disposed.</returns>
    public ValueTask DisposeAsync() => _tracker.TryLeave() ? ItemDisposal.DisposeAsync(Value) : default;
}
