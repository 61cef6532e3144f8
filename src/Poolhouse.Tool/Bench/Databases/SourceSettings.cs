using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The settings of a study for every rival's source of connections.</summary>
/// <param name="MaxSize">The largest number of connections.</param>
/// <param name="Tag">Names the connections, so that they can be counted.</param>
internal sealed record SourceSettings(int MaxSize, string Tag)
{
    /// <summary>How Poolhouse resets a session; null: the default.</summary>
    public SessionReset? Reset { get; init; }

    /// <summary>
    /// How long callers of Poolhouse wait for a connection; null: the default, or the connection string's Timeout.
    /// </summary>
    public TimeSpan? RentTimeout { get; init; }

    /// <summary>Only supported by Poolhouse.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromSeconds(10);
}
