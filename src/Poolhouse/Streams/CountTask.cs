namespace Poolhouse.Streams;

/// <summary>A completed task with a count; a new task is created only when the count differs from the previous one.</summary>
internal struct CountTask
{
    private Task<int>? _task;

    public Task<int> ForAsync(int count)
    {
        // One field, read once: if two threads use the stream by mistake, the task still has the right count.
        var task = _task;
#pragma warning disable CA1849, VSTHRD103 // The task is completed.
        if (task is null || task.Result != count)
#pragma warning restore CA1849, VSTHRD103
        {
            _task = task = Task.FromResult(count);
        }

        return task;
    }
}
