namespace Poolhouse.Kernel;

/// <summary>Is notified of events in the life of pools while a diagnostic session listens to them.</summary>
internal interface IPoolEventLog
{
    /// <summary>The log of the process; null while no session listens.</summary>
    static IPoolEventLog? Current { get; set; }

    void Started(IPool pool);

    void Closed(IPool pool);

    void CreateFailed(string pool, Exception failure, TimeSpan retryAfter);

    void OutageBegan(string pool, Exception failure);

    void OutageEnded(string pool);

    /// <param name="pool">The name of the pool.</param>
    /// <param name="phase">What the caller was waiting for, or why it was refused.</param>
    /// <param name="waited">How long it waited.</param>
    void WaitFailed(string pool, string phase, TimeSpan waited);

    void LeakSuspected(string pool, long itemNumber, TimeSpan leasedFor, string? label);

    void Reconfigured(string pool);
}
