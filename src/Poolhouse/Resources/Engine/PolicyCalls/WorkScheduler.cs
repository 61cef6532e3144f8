namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Schedules the background work of a resource pool.</summary>
internal abstract class WorkScheduler
{
    public static WorkScheduler ThreadPool { get; } = new ThreadPoolScheduler();

    /// <summary>
    /// How continuations of the pool's own tasks run: never on the stack of the code that completes them, except in a simulation.
    /// </summary>
    public virtual TaskCreationOptions Completion => TaskCreationOptions.RunContinuationsAsynchronously;

    /// <summary>Runs the work soon, on a thread of the thread pool, without the caller's ExecutionContext.</summary>
    /// <exception cref="OutOfMemoryException">There is not enough memory for the queue. The work was not queued.</exception>
    public abstract void Post(IThreadPoolWorkItem work);

    /// <summary>Runs the work on a dedicated thread: for work that blocks, or when the thread pool may be starved.</summary>
    /// <exception cref="OutOfMemoryException">The system cannot create a thread, for lack of memory.</exception>
    /// <exception cref="ThreadStartException">The system cannot start the thread.</exception>
    public abstract void PostToOwnThread(IThreadPoolWorkItem work);

    /// <summary>
    /// Whether an exception indicates a lack of memory or of threads; the latter is due to memory or to a limit of the account or
    /// container.
    /// </summary>
    public static bool IsLackOfMemory(Exception failure) => failure is OutOfMemoryException or ThreadStartException;

    private sealed class ThreadPoolScheduler : WorkScheduler
    {
        public override void Post(IThreadPoolWorkItem work)
        {
            try
            {
                Queue(work);
            }
            catch (ThreadInterruptedException)
            {
                // Interrupted at one of the queue's own locks, so the work is not in it yet.
                Interrupts.Defer(work, Queue);
                CurrentThread.Interrupt();
            }
        }

        public override void PostToOwnThread(IThreadPoolWorkItem work) =>
            new Thread(static work => ((IThreadPoolWorkItem)work!).Execute())
            {
                IsBackground = true,
                Name = "Poolhouse",
            }.UnsafeStart(work);

        private static void Queue(IThreadPoolWorkItem work) =>
            System.Threading.ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: true);
    }
}
