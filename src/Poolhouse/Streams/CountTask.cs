namespace Poolhouse.Streams;

/// <summary>A completed task with a count; a new task is created only when the count differs from the previous one.</summary>
internal struct CountTask
{
    private Task<int>? _task;
    private int _count;

    public Task<int> ForAsync(int count)
    {
        if (_task is null || _count != count)
        {
            _count = count;
            _task = Task.FromResult(count);
        }

        return _task;
    }
}
