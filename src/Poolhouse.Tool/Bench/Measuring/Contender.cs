namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>One rival in one cell: creates its pool, runs the work, and releases the pool.</summary>
internal abstract class Contender(string rival)
{
    /// <summary>The rival's name in tables and charts.</summary>
    public string Rival => rival;

    /// <summary>The sum of the results of all calls, which must be the same for every rival. 0 if calls
    /// return nothing.</summary>
    public virtual long Sum => 0;

    /// <summary>Calls a worker makes in a round, where the experiment and not the clock decides.</summary>
    public virtual long? FixedCalls => null;

    /// <summary>How many threads ran the last round's items; null where the workers themselves do.</summary>
    public virtual int? ItemThreads => null;

    /// <summary>Bytes of input that one round reads; 0 where there is none.</summary>
    public virtual long InputBytes => 0;

    /// <summary>Creates the pool, for the given number of workers.</summary>
    public abstract void Start(int workers);

    /// <summary>Called before each round, outside the measured time.</summary>
    public virtual void BeforeRound()
    {
    }

    /// <summary>One worker's share of a round. Runs on that worker's thread.</summary>
    public abstract void Work(int worker, long calls);

    /// <summary>The operations of all workers together, given the calls of each.</summary>
    public abstract long OperationsIn(long calls);

    /// <summary>Releases the pool.</summary>
    public abstract void Stop();
}
