using Gate = Poolhouse.Explorer.Shims.Gate;

#pragma warning disable IDE0130 // The compiler knows the type of the `lock` statement by this name.
namespace System.Threading;
#pragma warning restore IDE0130

/// <summary>Replaces the framework's lock: an actor that finds it taken waits in the scheduler, not in the system.</summary>
internal sealed class Lock
{
    private readonly Gate _gate = new();

    public Scope EnterScope()
    {
        Enter();
        return new Scope(_gate);
    }

    public void Enter() => _gate.Enter();

    /// <summary>
    /// Waits where the framework's would return false; the schedules are the same. Returns false for an interrupted actor.
    /// </summary>
    public bool TryEnter() => _gate.TryEnter();

    public void Exit() => _gate.Exit();

    public readonly ref struct Scope(Gate gate)
    {
        public void Dispose() => gate.Exit();
    }
}
