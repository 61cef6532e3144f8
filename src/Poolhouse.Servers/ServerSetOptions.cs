namespace Poolhouse.Servers;

/// <summary>The settings of a <see cref="ServerSet{TServer}"/>.</summary>
/// <remarks>
/// A set copies its options. All settings are validated together, and one exception names every invalid one. Not thread safe.
/// </remarks>
public sealed class ServerSetOptions
{
    private static readonly TimeSpan _defaultMaxRecheckDelay = TimeSpan.FromSeconds(5);

    /// <summary>How the server for a new item is selected.</summary>
    /// <value><see cref="ServerSelection.Ordered"/> by default.</value>
    public ServerSelection Selection { get; set; } = ServerSelection.Ordered;

    /// <summary>How long one server may take to create an item before the next one is tried.</summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <remarks>
    /// The last remaining server may use all that is left of <see cref="ResourcePoolOptions.CreateTimeout"/>, so set this to
    /// that timeout divided by the number of servers, or less: then a server that does not answer leaves time for the others.
    /// </remarks>
    public TimeSpan AttemptTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The base of the time for which a server that failed is avoided.</summary>
    /// <value>2 seconds by default; 1 millisecond to <see cref="MaxRecheckDelay"/>.</value>
    /// <remarks>
    /// After the n-th failure in a row, the time is random between zero and this value times 2ⁿ⁻¹, at most
    /// <see cref="MaxRecheckDelay"/>, as for <see cref="ResourcePoolOptions.RetryDelay"/>.
    /// </remarks>
    public TimeSpan RecheckDelay { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>The longest time for which a server that failed is avoided.</summary>
    /// <value>5 seconds by default; <see cref="RecheckDelay"/> to 1 day.</value>
    public TimeSpan MaxRecheckDelay { get; set; } = _defaultMaxRecheckDelay;

    /// <summary>
    /// The minimum age at which an item gives way to a more preferred server that is up again, or to one that has fewer items.
    /// </summary>
    /// <value>
    /// 5 seconds by default; zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>: items stay until their lifetime is over.
    /// </value>
    /// <remarks>
    /// Items do not fail back all at once: each does so at a random moment within this time after the preferred server came back,
    /// if the server has stayed up. With the other selections, which prefer no server, items that were created before a server
    /// came back or was added are replaced in the same way until it has its share.
    /// </remarks>
    public TimeSpan FailBackAge { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The time source of the set.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The source of randomness for delays and selections.</summary>
    internal Random Random { get; set; } = Random.Shared;

    /// <summary>
    /// Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    internal ServerSetOptions Freeze()
    {
        var errors = new PoolOptionErrors();
        Validate(errors, prefix: string.Empty);
        errors.ThrowIfAny(this);
        return Copy();
    }

    /// <summary>Copies the settings: later changes of this object have no effect on the copy.</summary>
    /// <returns>The copy.</returns>
    public ServerSetOptions Copy() => (ServerSetOptions)MemberwiseClone();

    /// <summary>Adds an error for each invalid setting, for settings that are part of others.</summary>
    /// <param name="errors">Receives the errors.</param>
    /// <param name="prefix">The name of the settings that contain these, with a dot at the end: "ServerSet.". Empty for
    /// none.</param>
    /// <exception cref="ArgumentNullException"><paramref name="errors"/> is null.</exception>
    public void Validate(PoolOptionErrors errors, string prefix)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var millisecond = TimeSpan.FromMilliseconds(1);
        errors.Check(
            Enum.IsDefined(Selection), prefix + nameof(Selection), Selection, "Ordered, RoundRobin, Random or LeastOutstanding");
        errors.CheckDuration(AttemptTimeout, prefix + nameof(AttemptTimeout), millisecond);
        errors.CheckDelays(
            RecheckDelay, prefix, nameof(RecheckDelay), MaxRecheckDelay, nameof(MaxRecheckDelay), _defaultMaxRecheckDelay);
        errors.CheckDuration(FailBackAge, prefix + nameof(FailBackAge), TimeSpan.Zero);
        errors.CheckNotNull(TimeProvider, prefix + nameof(TimeProvider));
    }
}
