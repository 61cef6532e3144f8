namespace Poolhouse.Tool.Watch;

/// <summary>What to watch, and how to show it.</summary>
internal sealed record WatchRequest
{
    public int? Pid { get; init; }

    /// <summary>A recorded trace instead of a process.</summary>
    public string? Trace { get; init; }

    public string? DiagnosticPort { get; init; }

    /// <summary>Whether to wait for a process that has pools.</summary>
    public bool Wait { get; init; }

    public bool Once { get; init; }

    public bool Json { get; init; }

    public bool Plain { get; init; }

    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);
}
