namespace Poolhouse.Workers.Threads;

/// <summary>The workers at one moment, with the counters of current and former workers.</summary>
internal sealed record WorkerSnapshot(WorkerCounters Counters, int Workers, int Busy, int IdleStates, int Peak, int Abandoned);
