namespace Poolhouse.Workers.Threads;

/// <summary>The shutdown stages of a worker pool.</summary>
internal enum WorkerStage
{
    Open,

    /// <summary>New items are rejected; queued ones are run.</summary>
    Draining,

    /// <summary>No further items are started.</summary>
    Closed,
}
