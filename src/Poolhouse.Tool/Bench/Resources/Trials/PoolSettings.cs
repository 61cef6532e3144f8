namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>The settings of a scenario for every pool; each applies those that it supports.</summary>
internal sealed record PoolSettings(int MaxSize)
{
    public int MinIdle { get; init; }

    public TimeSpan MaxLifetime { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Only supported by Poolhouse.</summary>
    public double LifetimeJitter { get; init; }

    /// <summary>Only supported by Poolhouse.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromSeconds(10);
}
