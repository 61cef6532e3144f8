using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>
/// Runs the operations that the core decides on. Called outside the core's gate, except for <see cref="IsBrokenByParent"/>.
/// </summary>
internal interface IEngineHost<T>
    where T : notnull
{
    /// <summary>
    /// Starts to create an item; <see cref="ResourceCore{T}.Created"/> or <see cref="ResourceCore{T}.CreateFailed"/> follows.
    /// </summary>
    void BeginCreate(bool synchronously);

    /// <summary>Starts to validate an idle entry, or to keep it alive; an offer or a destruction follows.</summary>
    void BeginCheck(ResourceEntry<T> entry, bool keepAlive);

    /// <summary>Starts to destroy an entry; <see cref="ResourceCore{T}.Destroyed"/> follows.</summary>
    void BeginDestroy(ResourceEntry<T> entry, DestroyReason reason);

    /// <summary>Requests a callback no later than at this time.</summary>
    void ScheduleAt(long time);

    /// <summary>
    /// Whether an entry's item is broken because its parent is inactive. Called under the gate: it reads a field and runs no
    /// external code.
    /// </summary>
    bool IsBrokenByParent(ResourceEntry<T> entry) => false;

    /// <summary>Called when a drained or closed pool has changed and may be empty now.</summary>
    void Closing();
}
