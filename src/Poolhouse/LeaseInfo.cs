namespace Poolhouse;

/// <summary>What a pool knows about a leased item.</summary>
/// <param name="Uses">How often the item was leased, this time included: 1 for a new one.</param>
/// <param name="Age">The time since the pool created the item, or first leased it where it was created as a plain one.</param>
/// <param name="IdleTime">
/// How long it lay idle before this lease. Caches do not read the clock on a rent and report <see cref="TimeSpan.Zero"/>.
/// </param>
public readonly record struct LeaseInfo(long Uses, TimeSpan Age, TimeSpan IdleTime);
