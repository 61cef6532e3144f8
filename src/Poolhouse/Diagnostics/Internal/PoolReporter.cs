using Poolhouse.Resources;

namespace Poolhouse.Internal;

/// <summary>Who is told of a pool and of its times: the pool's instruments, or a decorator that has more of them. Thread safe.</summary>
internal abstract class PoolReporter
{
    /// <summary>Whether somebody wants to hear of waits.</summary>
    public abstract bool RecordsWaits { get; }

    /// <summary>Whether somebody wants to hear of use times: only then they are worth a measurement on each return.</summary>
    public abstract bool RecordsUseTime { get; }

    /// <summary>Reports a pool, which is complete by now, until <see cref="Remove"/>.</summary>
    public abstract void Add(IPool pool);

    public abstract void Remove(IPool pool);

    /// <param name="pool">The pool.</param>
    /// <param name="outcome">How the wait ended.</param>
    /// <param name="time">How long it was.</param>
    /// <param name="synchronous">Whether the caller blocked: then this is its thread, otherwise it is any thread.</param>
    public abstract void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous);

    public abstract void RecordCreateTime(IPool pool, TimeSpan time);

    public abstract void RecordUseTime(IPool pool, TimeSpan time);
}
