namespace Poolhouse.Streams;

/// <summary>A completed task with a count, made anew only when the count is another one than last time.</summary>
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
