namespace Poolhouse.Simulation;

/// <summary>A caller in the queue.</summary>
internal sealed class Ticket(int client, long enqueuedAt, long deadline)
{
    public int Client { get; } = client;

    /// <summary>No two callers come at the same tick, so this names the ticket.</summary>
    public long EnqueuedAt { get; } = enqueuedAt;

    public long Deadline { get; } = deadline;

    public bool IsCancelled { get; set; }

    /// <summary>When its outcome was decided.</summary>
    public long DecidedAt { get; set; } = -1;

    /// <summary>Whether the caller has heard of it.</summary>
    public bool IsOver { get; set; }

    public SimulatedItem? Item { get; set; }
}
