namespace Poolhouse.Workers.Threads;

/// <summary>Why a parked worker is woken.</summary>
internal enum WorkerSignal
{
    None,

    /// <summary>There is work bound to this worker, or the pool is about to end.</summary>
    Check,

    /// <summary>There is work, and this worker is the searcher now.</summary>
    Search,

    /// <summary>The worker has left the worker set.</summary>
    End,
}
