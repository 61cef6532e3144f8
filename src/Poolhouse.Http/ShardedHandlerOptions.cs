using System.Net;
using Poolhouse.Kernel;

namespace Poolhouse.Http;

/// <summary>The settings of a sharded handler. Only <see cref="Shards"/> has no default.</summary>
/// <remarks>
/// A handler copies its options; changing them later has no effect on it. All settings are validated together, and one exception
/// names every invalid one. Not thread safe.
/// </remarks>
public sealed class ShardedHandlerOptions
{
    /// <summary>How many inner handlers take requests.</summary>
    /// <value>Required; 1 to 1,000.</value>
    public required int Shards { get; set; }

    /// <summary>Makes an inner handler: at first for each shard, and one more for each that is replaced.</summary>
    /// <value>
    /// <c>null</c> by default: a <see cref="SocketsHttpHandler"/> as it comes. Otherwise a new handler each time, which the
    /// sharded handler disposes.
    /// </value>
    /// <remarks>
    /// Called by the constructor, and later in the background. If it throws then, the shard stays and is tried again a minute
    /// later.
    /// </remarks>
    public Func<HttpMessageHandler>? CreateHandler { get; set; }

    /// <summary>Which shard gets a request.</summary>
    /// <value><see cref="ShardSelection.LeastOutstanding"/> by default.</value>
    public ShardSelection Selection { get; set; } = ShardSelection.LeastOutstanding;

    /// <summary>The key of a request, for <see cref="ShardSelection.ByKey"/>.</summary>
    /// <value>
    /// <c>null</c> by default; not null with <see cref="ShardSelection.ByKey"/>. It may return null for a request without a key.
    /// </value>
    public Func<HttpRequestMessage, string?>? KeyOf { get; set; }

    /// <summary>How old a shard may become before another takes its place.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (no limit) by default; otherwise at least 1 second.</value>
    /// <remarks>Its requests go on; it is disposed when the last response has ended.</remarks>
    public TimeSpan Lifetime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>How much of <see cref="Lifetime"/> is random, so that shards made together are not replaced together.</summary>
    /// <value>0.1 by default: each lives 90 to 100 % of it; 0 to 1.</value>
    public double LifetimeJitter { get; set; } = 0.1;

    /// <summary>The hosts whose addresses are looked up again and again: when they change, every shard is replaced.</summary>
    /// <value>Empty by default; names, not null or blank.</value>
    public IReadOnlyList<string> WatchedHosts { get; set; } = [];

    /// <summary>How often the addresses of <see cref="WatchedHosts"/> are looked up, and how long that may take.</summary>
    /// <value>30 seconds by default; 1 second to 1 day.</value>
    public TimeSpan ResolveInterval { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Looks up the addresses of a host.</summary>
    /// <value><c>null</c> by default: <see cref="Dns.GetHostAddressesAsync(string, CancellationToken)"/>.</value>
    /// <remarks>
    /// An answer that is empty, fails or takes too long changes nothing. Where a server answers with a random part of many
    /// addresses, give the whole list here, or every look-up is a change.
    /// </remarks>
    public Func<string, CancellationToken, ValueTask<IReadOnlyCollection<IPAddress>>>? Resolve { get; set; }

    /// <summary>The clock.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Where lifetimes get their randomness.</summary>
    internal Random Random { get; set; } = Random.Shared;

    /// <summary>A copy that the caller can no longer change, or one exception that names every invalid setting.</summary>
    internal ShardedHandlerOptions Freeze()
    {
        var copy = (ShardedHandlerOptions)MemberwiseClone();
        copy.WatchedHosts = WatchedHosts is null ? null! : [.. WatchedHosts];
        var errors = new SettingErrors();
        errors.CheckRange(Shards, nameof(Shards), 1, 1_000);
        errors.Check(Enum.IsDefined(Selection), nameof(Selection), Selection, "LeastOutstanding, RoundRobin or ByKey");
        errors.Check(Selection != ShardSelection.ByKey || KeyOf is not null, nameof(KeyOf), KeyOf, "not null with ByKey");
        errors.CheckDuration(Lifetime, nameof(Lifetime), TimeSpan.FromSeconds(1));
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
