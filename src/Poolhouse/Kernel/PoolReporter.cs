using System.Diagnostics.Metrics;

namespace Poolhouse.Kernel;

/// <summary>
/// Reports pools and their times to the instruments of a meter, or to a decorator that adds more instruments. Thread safe.
/// </summary>
internal abstract class PoolReporter
{
    /// <summary>
    /// Gets the reporter for a meter. The metrics set it when the assembly is loaded, because pools do not refer to them.
    /// </summary>
    public static Func<Meter?, IMeterFactory?, PoolReporter> Provider { get; set; } = static (_, _) => SilentReporter.Instance;

    /// <summary>Whether there are listeners for wait times.</summary>
    public abstract bool RecordsWaits { get; }

    /// <summary>Whether there are listeners for use times; only then is a return measured.</summary>
    public abstract bool RecordsUseTime { get; }

    /// <summary>Gets the reporter for the meter specified in a pool's options.</summary>
    public static PoolReporter Of(Meter? meter, IMeterFactory? factory) => Provider(meter, factory);

    /// <summary>Starts to report a fully constructed pool, until <see cref="Remove"/>.</summary>
    public abstract void Add(IPool pool);

    public abstract void Remove(IPool pool);

    /// <param name="pool">The pool.</param>
    /// <param name="outcome">How the wait ended.</param>
    /// <param name="time">The duration of the wait.</param>
    /// <param name="synchronous">
    /// Whether the caller blocked: then the current thread is the caller's, otherwise it may be any thread.
    /// </param>
    public abstract void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous);

    public abstract void RecordCreateTime(IPool pool, TimeSpan time);

    /// <param name="pool">The pool.</param>
    /// <param name="time">The duration of the lease.</param>
    /// <param name="label">The label of the caller that rented, if labels are recorded and it had one.</param>
    public abstract void RecordUseTime(IPool pool, TimeSpan time, string? label);
}
