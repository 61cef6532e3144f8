using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>Runs the work of a pool only on request and on the thread of the test, so that tests are deterministic.</summary>
internal sealed class ManualScheduler : WorkScheduler
{
    private readonly Queue<IThreadPoolWorkItem> _work = new(64);

    /// <summary>Whether the continuations of the pool's own tasks run on the thread of the test, too.</summary>
    public bool RunsContinuations { get; init; }

    public override TaskCreationOptions Completion => RunsContinuations ? TaskCreationOptions.None : base.Completion;

    /// <summary>How often work requested a dedicated thread.</summary>
    public int OwnThreads { get; private set; }

    /// <summary>How many times work was posted.</summary>
    public int Posts { get; private set; }

    /// <summary>How many work items have begun to run.</summary>
    public int Begun { get; private set; }

    /// <summary>The work item that runs now, or null.</summary>
    public IThreadPoolWorkItem? Running { get; private set; }

    /// <summary>Which posts fail, by their number; none unless a test sets it.</summary>
    public Func<int, bool> LacksMemory { get; set; } = static _ => false;

    /// <exception cref="OutOfMemoryException">There is no memory for the queue.</exception>
    public override void Post(IThreadPoolWorkItem work)
    {
        lock (_work)
        {
            if (LacksMemory(++Posts))
            {
                throw new InsufficientMemoryException("The work could not be queued.");
            }

            _work.Enqueue(work);
        }
    }

    /// <summary>Whether the system cannot start another thread.</summary>
    public bool HasNoThreads { get; set; }

    public override void PostToOwnThread(IThreadPoolWorkItem work)
    {
        if (HasNoThreads)
        {
            throw new InsufficientMemoryException("No thread could be started.");
        }

        OwnThreads++;
        Post(work);
    }

    /// <summary>Runs everything that was posted, and what that posts.</summary>
    public void Run()
    {
        while (TryTake() is { } work)
        {
            Begun++;
            Running = work;
            work.Execute();
            Running = null;
        }
    }

    private IThreadPoolWorkItem? TryTake()
    {
        lock (_work)
        {
            return _work.TryDequeue(out var work) ? work : null;
        }
    }
}
