using System.Diagnostics.Metrics;

namespace Poolhouse.Kernel;

/// <summary>Receives a pool's existence and its times: the instruments of a meter, or a decorator with more of them. Thread safe.</summary>
internal abstract class PoolReporter
{
    /// <summary>Finds the reporter for a meter. The metrics set it when the assembly is loaded, because no pool refers to them.</summary>
    public static Func<Meter?, IMeterFactory?, PoolReporter> Provider { get; set; } = static (_, _) => SilentReporter.Instance;

    /// <summary>Whether anybody listens to wait times.</summary>
    public abstract bool RecordsWaits { get; }

    /// <summary>Whether anybody listens to use times: only then is a return worth a measurement.</summary>
    public abstract bool RecordsUseTime { get; }

    /// <summary>Gets the reporter for the meter that a pool's options name.</summary>
    public static PoolReporter Of(Meter? meter, IMeterFactory? factory) => Provider(meter, factory);

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
