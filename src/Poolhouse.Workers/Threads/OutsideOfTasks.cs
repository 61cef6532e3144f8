namespace Poolhouse.Workers.Threads;

/// <summary>Runs code without the task and the synchronization context that are current on its thread.</summary>
// Asynchronous code that a policy waits for would otherwise continue on the scheduler of that task, which may have no other
// thread than the one that waits.
internal static class OutsideOfTasks
{
    /// <summary>Runs the code on this thread. The caller restores the synchronization context.</summary>
    public static void Run(Action code)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        var (thread, hasRun) = (Environment.CurrentManagedThreadId, false);
        var task = new Task(RunOnThisThread, TaskCreationOptions.DenyChildAttach);
        task.RunSynchronously(TaskScheduler.Default);
#pragma warning disable VSTHRD002 // It has ended, or it is about to end on another thread without waiting for this one.
        task.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        if (!hasRun)
        {
            // With too little stack left, the task has run on another thread.
            code();
        }

        void RunOnThisThread()
        {
            if (Environment.CurrentManagedThreadId == thread)
            {
                hasRun = true;
                code();
            }
        }
    }
}
