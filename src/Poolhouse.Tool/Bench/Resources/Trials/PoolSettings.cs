namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>What a scenario asks of every pool; each takes what it understands.</summary>
internal sealed record PoolSettings(int MaxSize)
{
    public int MinIdle { get; init; }

    public TimeSpan MaxLifetime { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Only Poolhouse has it.</summary>
    public double LifetimeJitter { get; init; }

    /// <summary>Only Poolhouse has it.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromSeconds(10);
}
