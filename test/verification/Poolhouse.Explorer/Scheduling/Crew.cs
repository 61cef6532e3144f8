namespace Poolhouse.Explorer.Scheduling;

/// <summary>The real threads of an exploration that have nothing to do. Touched only by who has the baton.</summary>
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
