using Poolhouse.Resources.Servers;

namespace Poolhouse;

/// <summary>
/// An item on one of the servers of a <see cref="ServerSet{TServer}"/>, which counts it until it is disposed or detached.
/// </summary>
/// <typeparam name="TServer">The type that names a server.</typeparam>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// Thread safe, apart from what <see cref="Value"/> is. It may be the item of a resource pool itself: then nothing else has to be
/// done when it is destroyed. Or the policy's own item holds it. One that was forgotten is counted no longer when the garbage
/// collector finds it.
/// </remarks>
public sealed class ServerItem<TServer, T> : IAsyncDisposable, IDisposable
    where TServer : notnull
    where T : notnull
{
    private readonly ServerItemTracker<TServer> _place;
    private readonly ServerState<TServer> _state;

    internal ServerItem(ServerItemTracker<TServer> place, T value)
    {
        _place = place;
        _state = place.State;
        Value = value;
    }

    /// <summary>What the create delegate made.</summary>
    public T Value { get; }

    /// <summary>The server that it is on.</summary>
    public TServer Server => _state.Server;

    /// <summary>
    /// Whether the item should give way to a new one on a better server. Ask in <see cref="ResourcePolicy{T}.IsBroken"/>.
    /// </summary>
    /// <returns>
    /// True if it is older than <see cref="ServerSetOptions.FailBackAge"/>, a more preferred server came back, and its turn has
    /// come; or if its server was removed from the list and another is up. When a more preferred server is due for its re-check,
    /// one item hears true, however often it asks, so that the next creation tries that server; another does after each
    /// <see cref="ServerSetOptions.RecheckDelay"/> without one.
    /// </returns>
    /// <remarks>For an item on the preferred server it is a look at one field.</remarks>
    public bool ShouldFailBack() => _state.Position != 0 && _place.Set.ShouldFailBack(_place);

    /// <summary>Reports that the server failed while the item was in use: new items go to other servers for a while.</summary>
    /// <param name="failure">What was thrown, for the statistics.</param>
    /// <remarks>
    /// Report what tells about the server (a lost connection, "shutting down"), not what tells about one request. When all items
    /// of a server break together, it counts once; and it does not count if the server has failed since the item was created,
    /// because that is known.
    /// </remarks>
    public void ReportFailure(Exception? failure = null) => _place.Set.ReportFailure(_place, failure);

    /// <summary>Takes the item out of the count and leaves <see cref="Value"/> to the caller. Harmless when repeated.</summary>
    /// <returns><see cref="Value"/>, which the caller must destroy.</returns>
    public T Detach()
    {
        _place.TryLeave();
        return Value;
    }

    /// <summary>
    /// Takes the item out of the count and disposes <see cref="Value"/>, if it can be disposed. Harmless when repeated.
    /// </summary>
    public void Dispose()
    {
        // It leaves the count before it is closed: a close that hangs must not make the server look busy for ever.
        if (_place.TryLeave())
        {
            (Value as IDisposable)?.Dispose();
        }
    }

    /// <summary>
    /// Takes the item out of the count and disposes <see cref="Value"/>, asynchronously if it has a way. Harmless when repeated.
    /// </summary>
    /// <returns>A task that completes when the value is disposed.</returns>
    public ValueTask DisposeAsync()
    {
        if (_place.TryLeave())
        {
            if (Value is IAsyncDisposable disposable)
            {
                return disposable.DisposeAsync();
            }

            (Value as IDisposable)?.Dispose();
        }

        return default;
    }
}
