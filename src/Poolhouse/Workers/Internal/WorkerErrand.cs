namespace Poolhouse.Workers;

/// <summary>Something that one certain worker is to do between two items.</summary>
internal abstract class WorkerErrand
{
    public abstract void Run(Worker worker);

    /// <summary>The worker ended before.</summary>
    public virtual void Skip()
    {
    }
}
