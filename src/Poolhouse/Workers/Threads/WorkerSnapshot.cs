namespace Poolhouse.Workers.Threads;

/// <summary>The workers at one moment, and what they and their predecessors did.</summary>
internal sealed record WorkerSnapshot(WorkerCounters Counters, int Workers, int Busy, int IdleStates, int Peak, int Abandoned);
