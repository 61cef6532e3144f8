namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>What the core needs done outside its gate.</summary>
internal interface IEngineHost<T>
    where T : notnull
{
    /// <summary>Begins to create an item; <see cref="ResourceCore{T}.Created"/> or <see cref="ResourceCore{T}.CreateFailed"/> follows.</summary>
    void BeginCreate(bool synchronously);

    /// <summary>Begins to validate an idle entry, or to keep it alive; an offer or a retirement follows.</summary>
    void BeginCheck(ResourceEntry<T> entry, bool keepAlive);

    /// <summary>Begins to destroy an entry; <see cref="ResourceCore{T}.Destroyed"/> follows.</summary>
    void BeginDestroy(ResourceEntry<T> entry, DestroyReason reason);

    /// <summary>Asks to be called back no later than at this time.</summary>
    void ScheduleAt(long time);

    /// <summary>
    /// Whether what an entry's item rests on is gone. Asked under the gate: a look at a field, and nobody's code.
    /// </summary>
    bool IsOrphaned(ResourceEntry<T> entry) => false;

    /// <summary>Something changed while the pool is drained or closed: perhaps it is empty now.</summary>
    void Closing();
}
