namespace Poolhouse.Workers.Threads;

/// <summary>How far a worker pool is on its way to its end.</summary>
internal enum WorkerStage
{
    Open,

    /// <summary>Nothing new is taken; what is queued is done.</summary>
    Draining,

    /// <summary>Nothing begins any more.</summary>
    Closed,
}
