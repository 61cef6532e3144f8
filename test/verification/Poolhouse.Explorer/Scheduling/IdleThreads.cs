namespace Poolhouse.Explorer.Scheduling;

/// <summary>The idle real threads of an exploration. Accessed only by the thread that has the baton.</summary>
internal sealed class IdleThreads
{
    private readonly Stack<ActorThread> _idle = [];

    public ActorThread Take() => _idle.TryPop(out var idle) ? idle : new ActorThread();

    public void Release(ActorThread idle) => _idle.Push(idle);

    public void EndAll()
    {
        while (_idle.TryPop(out var idle))
        {
            idle.Begin(task: null);
        }
    }
}
