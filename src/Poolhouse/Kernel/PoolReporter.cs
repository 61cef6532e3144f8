using System.Diagnostics.Metrics;

namespace Poolhouse;

/// <summary>Reports pools and their timings to metrics. Derive from it to record instruments of your own.</summary>
/// <remarks>
/// <para>
/// For authors of pools: set <see cref="ResourcePoolOptions.Reporter"/> to a reporter that records what your instruments need,
/// and passes each call on to the one that <see cref="Of"/> returns, so that the instruments of every pool are kept. Unless
/// overridden, a member does nothing.
/// </para>
/// <para>
/// Must be thread safe. It is called on the threads of callers, never under a lock: do not block. Exceptions are ignored where a
/// time is recorded; the other members must not throw.
/// </para>
/// </remarks>
public abstract class PoolReporter
{
    /// <summary>
    /// The function behind <see cref="Of"/>. The metrics set it when the assembly is loaded, because pools do not refer to them.
    /// </summary>
    internal static Func<Meter?, IMeterFactory?, PoolReporter> Provider { get; set; } = static (_, _) => SilentReporter.Instance;

    /// <summary>Whether waits are to be reported: whether the instruments for them have listeners.</summary>
    public virtual bool RecordsWaits => false;

    /// <summary>Whether use times are to be reported; only then does a pool measure how long items are leased.</summary>
    public virtual bool RecordsUseTime => false;

    /// <summary>Gets the reporter that a pool with these options has by default: for the instruments named "poolhouse".</summary>
    /// <param name="meter">The meter; null for the meter of the factory.</param>
    /// <param name="meterFactory">The factory of the meter; null for the process-wide meter "Poolhouse".</param>
    /// <returns>The reporter. All pools of one meter share it.</returns>
    public static PoolReporter Of(Meter? meter, IMeterFactory? meterFactory) => Provider(meter, meterFactory);

    /// <summary>Called once when a pool is fully constructed: its statistics can be read until <see cref="Remove"/>.</summary>
    /// <param name="pool">The pool. Refer to it weakly, so that an unused pool can be collected.</param>
    public virtual void Add(IPool pool)
    {
    }

    /// <summary>Called once when a pool is closed.</summary>
    /// <param name="pool">The pool.</param>
    public virtual void Remove(IPool pool)
    {
    }

    /// <summary>Called when the wait of a caller has ended, if <see cref="RecordsWaits"/> is true.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="outcome">How the wait ended.</param>
    /// <param name="time">The duration of the wait.</param>
    /// <param name="synchronous">
    /// Whether the caller blocked: then the current thread is the caller's, otherwise it may be any thread.
    /// </param>
    public virtual void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous)
    {
    }

    /// <summary>Called when an item was created.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="time">The duration of the creation.</param>
    public virtual void RecordCreateTime(IPool pool, TimeSpan time)
    {
    }

    /// <summary>Called when a lease has ended, if <see cref="RecordsUseTime"/> is true.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="time">The duration of the lease.</param>
    /// <param name="label">The label of the caller that rented, if labels are recorded and it had one.</param>
    public virtual void RecordUseTime(IPool pool, TimeSpan time, string? label)
    {
    }
}
