namespace Poolhouse.Workers.Threads;

/// <summary>Why a parked worker is woken.</summary>
internal enum WorkerSignal
{
    None,

    /// <summary>There is something for it alone, or the pool is about to end.</summary>
    Look,

    /// <summary>There is work: it is the one that searches now.</summary>
    Search,

    /// <summary>It has left the worker set.</summary>
    End,
}
