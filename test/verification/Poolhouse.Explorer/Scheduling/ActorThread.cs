namespace Poolhouse.Explorer.Scheduling;

/// <summary>A real thread that runs one actor after the other.</summary>
// A thread that a failed run leaves in the middle of an actor waits forever; it is a background thread, and an exploration fails
// at most once.
internal sealed class ActorThread
{
    private readonly SemaphoreSlim _baton = new(0);
    private Action<ActorThread>? _task;

    public ActorThread() => new Thread(Run) { IsBackground = true, Name = "Actor" }.Start();

    /// <summary>Gives an idle thread a task and the baton; without a task, the thread ends.</summary>
    public void Begin(Action<ActorThread>? task)
    {
        _task = task;
        PassBaton();
    }

    public void PassBaton() => _baton.Release();

    public void AwaitBaton() => _baton.Wait();

    private void Run()
    {
        AwaitBaton();
        while (_task is { } task)
        {
            task(this);
            AwaitBaton();
        }
    }
}
