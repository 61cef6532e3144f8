namespace Poolhouse.Explorer.Scheduling;

/// <summary>A real thread that plays one actor after the other.</summary>
// A thread that a failed run leaves in the middle of an actor waits for ever; it is a background thread, and an exploration fails
// once at most.
internal sealed class Stagehand
{
    private readonly SemaphoreSlim _baton = new(0);
    private Action<Stagehand>? _task;

    public Stagehand() => new Thread(Run) { IsBackground = true, Name = "Stagehand" }.Start();

    /// <summary>Gives an idle thread something to do, and the baton; nothing: it ends.</summary>
    public void Begin(Action<Stagehand>? task)
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
