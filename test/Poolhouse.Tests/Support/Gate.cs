namespace Poolhouse.Tests;

/// <summary>
/// Holds the calls of a hook until the test releases them, oldest first. The continuation runs on the stack of the test.
/// </summary>
internal sealed class Gate<T>
{
    private readonly Queue<TaskCompletionSource<T>> _waiting = new();

    /// <summary>The total number of calls.</summary>
    public int Calls { get; private set; }

    public int Waiting
    {
        get
        {
            lock (_waiting)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>The token of the last call.</summary>
    public CancellationToken Token { get; private set; }

    public ValueTask<T> WaitAsync(CancellationToken cancellationToken = default)
    {
        var call = new TaskCompletionSource<T>();
        lock (_waiting)
        {
            Calls++;
            Token = cancellationToken;
            _waiting.Enqueue(call);
        }

        return new ValueTask<T>(call.Task);
    }

    public void Release(T result) => Take().SetResult(result);

    public void Fail(Exception failure) => Take().SetException(failure);

    private TaskCompletionSource<T> Take()
    {
        lock (_waiting)
        {
            return _waiting.Dequeue();
        }
    }
}
