using System.Net;

namespace Poolhouse.Http;

/// <summary>The settings of a sharded handler. Only <see cref="Shards"/> has no default.</summary>
/// <remarks>
/// A handler copies its options; changing them later has no effect on it. All settings are validated together, and one exception
/// names every invalid one. Not thread safe.
/// </remarks>
public sealed class ShardedHandlerOptions
{
    /// <summary>The number of inner handlers that take requests.</summary>
    /// <value>Required; 1 to 1,000.</value>
    public required int Shards { get; set; }

    /// <summary>Creates an inner handler: initially one for each shard, and another one for each replacement.</summary>
    /// <value>
    /// <c>null</c> by default: a <see cref="SocketsHttpHandler"/> with its default settings, except that all shards share one
    /// <see cref="SocketsHttpHandler.CookieContainer"/>. Otherwise a new handler on each call, which the sharded handler
    /// disposes.
    /// </value>
    /// <remarks>
    /// A handler that uses cookies needs the container of the others: otherwise a request carries only the cookies that its shard
    /// has received.
    /// Called by the constructor, by <see cref="ShardedHandler.Clear(TimeSpan)"/> on its caller's thread, and later in the
    /// background, possibly by several threads at the same time. If it throws in the background, the shard is kept and its
    /// replacement is retried a minute later. If it blocks there, the shard is kept, and the other shards are replaced as usual.
    /// </remarks>
    public Func<HttpMessageHandler>? CreateHandler { get; set; }

    /// <summary>How the shard for a request without a key is selected.</summary>
    /// <value>
    /// <see cref="SelectionStrategy.LeastOutstanding"/> by default: the shard with the fewest outstanding responses.
    /// </value>
    public SelectionStrategy Selection { get; set; } = SelectionStrategy.LeastOutstanding;

    /// <summary>
    /// The key of a request. Requests with the same key go to the same shard, even after that shard was replaced.
    /// </summary>
    /// <value><c>null</c> by default: no request has a key. It may return null for a request without a key.</value>
    public Func<HttpRequestMessage, string?>? KeyOf { get; set; }

    /// <summary>The maximum age of a shard before it is replaced.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (no limit) by default; otherwise at least 1 second.</value>
    /// <remarks>Its pending requests continue; it is disposed when the last response has ended.</remarks>
    public TimeSpan MaxLifetime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The fraction of <see cref="MaxLifetime"/> that is random, so that shards created together are not replaced together.
    /// </summary>
    /// <value>0.1 by default: each shard lives for 90 to 100 % of it; 0 to 1.</value>
    public double LifetimeJitter { get; set; } = 0.1;

    /// <summary>The hosts whose addresses are looked up periodically: when they change, every shard is replaced.</summary>
    /// <value>Empty by default; names, not null or blank.</value>
    public IReadOnlyList<string> WatchedHosts { get; set; } = [];

    /// <summary>How often the addresses of <see cref="WatchedHosts"/> are looked up, and how long a lookup may take.</summary>
    /// <value>30 seconds by default; 1 second to 1 day.</value>
    public TimeSpan ResolveInterval { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Looks up the addresses of a host.</summary>
    /// <value><c>null</c> by default: <see cref="Dns.GetHostAddressesAsync(string, CancellationToken)"/>.</value>
    /// <remarks>
    /// A lookup that fails, takes too long or returns no address changes nothing. If a server returns a random subset of many
    /// addresses, return the whole list here; otherwise every lookup counts as a change. The delegate must not block: it is
    /// called by the constructor and on the thread of a timer, and the time limit applies only to the task that it returns.
    /// </remarks>
    public Func<string, CancellationToken, ValueTask<IReadOnlyCollection<IPAddress>>>? Resolve { get; set; }

    /// <summary>The clock.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The source of randomness for lifetimes.</summary>
    internal Random Random { get; set; } = Random.Shared;

    /// <summary>
    /// Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    internal ShardedHandlerOptions Freeze()
    {
        var copy = (ShardedHandlerOptions)MemberwiseClone();
        copy.WatchedHosts = WatchedHosts is null ? null! : [.. WatchedHosts];
        var errors = new PoolOptionErrors();
        errors.CheckRange(Shards, nameof(Shards), 1, 1_000);
        errors.Check(
            Enum.IsDefined(Selection), nameof(Selection), Selection, "LeastOutstanding, RoundRobin or PowerOfTwoChoices");
        errors.CheckDuration(MaxLifetime, nameof(MaxLifetime), TimeSpan.FromSeconds(1));
        errors.Check(LifetimeJitter is >= 0 and <= 1, nameof(LifetimeJitter), LifetimeJitter, "0 to 1");
        errors.Check(
            copy.WatchedHosts is not null && !copy.WatchedHosts.Any(string.IsNullOrWhiteSpace),
            nameof(WatchedHosts),
            "null or blank somewhere",
            "names");
        errors.Check(
            ResolveInterval >= TimeSpan.FromSeconds(1) && ResolveInterval <= TimeSpan.FromDays(1),
            nameof(ResolveInterval),
            ResolveInterval,
            "00:00:01 to 1.00:00:00");
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
        errors.ThrowIfAny(this);
        return copy;
    }
}
