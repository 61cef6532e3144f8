using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Simulation;

/// <summary>The pool's own work, run one after the other in an order that the seed chooses.</summary>
internal sealed class SimulatedThreads(Dice dice, SimulatedTime time, long slowest) : WorkScheduler
{
    // Longer than the longest RetryDelay, after which the pool queues again what it could not queue.
    private const long LongestRetry = 60 * Dice.Millisecond;

    private readonly List<IThreadPoolWorkItem> _ready = [];

    // Wake-ups that were refused: their outcomes were decided at that time, and they are not refused twice.
    private readonly HashSet<IThreadPoolWorkItem> _refused = [];
    private int _delayed;

    /// <summary>Called for each work item when the pool decides on it.</summary>
    public Action<IThreadPoolWorkItem>? Posted { get; set; }

    /// <summary>How late work may begin.</summary>
    public long Slowest => slowest + (LacksMemory ? LongestRetry : 0);

    /// <summary>The share of the pool's work that cannot be queued for lack of memory.</summary>
    public double RefusalRate { get; set; }

    /// <summary>Whether work was refused at any time.</summary>
    public bool LacksMemory { get; init; }

    public int Refusals { get; private set; }

    public bool HasWork => _ready.Count > 0;

    public bool IsIdle => _ready.Count == 0 && _delayed == 0;

    public override TaskCreationOptions Completion => TaskCreationOptions.None;

    public override void Post(IThreadPoolWorkItem work)
    {
        var isNew = !_refused.Remove(work);
        if (isNew && RefusalRate > 0 && dice.Chance(RefusalRate))
        {
            Refusals++;
            if (work is AsyncWaiter<ResourceEntry<SimulatedItem>, SimulatedItem>)
            {
                Posted?.Invoke(work);
                _refused.Add(work);
            }

            throw new InsufficientMemoryException("There is no memory for the queue.");
        }

        if (isNew)
        {
            Posted?.Invoke(work);
        }

        PostForNeighbour(work);
    }

    /// <summary>Like <see cref="Post"/>, for a pool that is not audited.</summary>
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
