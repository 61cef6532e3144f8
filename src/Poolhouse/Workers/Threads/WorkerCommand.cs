namespace Poolhouse.Workers.Threads;

/// <summary>Something that one certain worker is to do between two items.</summary>
internal abstract class WorkerCommand
{
    public abstract void Run(Worker worker);

    /// <summary>The worker ended before, or its thread could not be started.</summary>
    public virtual void Skip(Exception? failure)
    {
    }
}
