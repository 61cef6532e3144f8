namespace Poolhouse.Explorer.Scheduling;

/// <summary>The idle real threads of an exploration. Accessed only by the thread that has the baton.</summary>
internal sealed class Crew
{
    private readonly Stack<Stagehand> _idle = [];

    public Stagehand Take() => _idle.TryPop(out var idle) ? idle : new Stagehand();

    public void Release(Stagehand idle) => _idle.Push(idle);

    public void Dismiss()
    {
        while (_idle.TryPop(out var idle))
        {
            idle.Begin(task: null);
        }
    }
}
