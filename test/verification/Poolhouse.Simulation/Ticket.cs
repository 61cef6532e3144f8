using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Simulation;

/// <summary>A caller in the queue.</summary>
internal sealed class Ticket(int client, Waiter<ResourceEntry<SimulatedItem>>? waiter, long enqueuedAt, long deadline)
{
    /// <summary>Later than any run lasts, but far enough from the largest number to calculate with.</summary>
    public const long Never = long.MaxValue / 2;

    public int Client { get; } = client;

    /// <summary>The caller in the pool's queue. It is reused, but not before its outcome was decided.</summary>
    public Waiter<ResourceEntry<SimulatedItem>>? Waiter { get; } = waiter;

    public long EnqueuedAt { get; } = enqueuedAt;

    public long Deadline { get; } = deadline;

    public bool IsCancelled { get; set; }

    /// <summary>When its outcome was decided; null before that. A clock that was set back may be below zero.</summary>
    public long? DecidedAt { get; set; }

    /// <summary>What was decided.</summary>
    public WaitOutcome Outcome { get; set; }

    /// <summary>Whether the caller has received its outcome.</summary>
    public bool IsOver { get; set; }

    public SimulatedItem? Item { get; set; }
}
