using Poolhouse.Resources;

namespace Poolhouse.Simulation;

/// <summary>The pool's own work, run one after the other in an order that the seed chooses.</summary>
internal sealed class SimulatedThreads(Dice dice, SimulatedTime time, long slowest) : WorkScheduler
{
    private readonly List<IThreadPoolWorkItem> _ready = [];
    private int _delayed;

    /// <summary>Called for each piece of work at the moment when the pool decided on it.</summary>
    public Action<IThreadPoolWorkItem>? Posted { get; set; }

    /// <summary>How late work may begin.</summary>
    public long Slowest => slowest;

    public bool HasWork => _ready.Count > 0;

    public bool IsIdle => _ready.Count == 0 && _delayed == 0;

    public override TaskCreationOptions Completion => TaskCreationOptions.None;

    public override void Post(IThreadPoolWorkItem work)
    {
        Posted?.Invoke(work);
        PostForNeighbour(work);
    }

    /// <summary>As <see cref="Post"/>, for a pool that nobody audits.</summary>
    public void PostForNeighbour(IThreadPoolWorkItem work)
    {
        if (slowest > 0 && dice.Chance(0.3))
        {
            _delayed++;
            time.After(dice.Time(0.001, slowest / (double)Dice.Millisecond), () =>
            {
                _delayed--;
                _ready.Add(work);
            });
        }
        else
        {
            _ready.Add(work);
        }
    }

    public override void PostToOwnThread(IThreadPoolWorkItem work) => Post(work);

    public void RunOne()
    {
        var which = dice.Below(_ready.Count);
        var work = _ready[which];
        _ready[which] = _ready[^1];
        _ready.RemoveAt(_ready.Count - 1);
        work.Execute();
    }
}
