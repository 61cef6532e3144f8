namespace Poolhouse.Workers.Threads;

/// <summary>An action that one specific worker performs between two items.</summary>
internal abstract class WorkerCommand
{
    public abstract void Run(Worker worker);

    /// <summary>
    /// Called when the worker has ended or was replaced before the command ran, or when its thread could not be started.
    /// </summary>
    public virtual void Skip(Exception? failure)
    {
    }
}
