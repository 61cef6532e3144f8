namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>
/// A caller of an <see cref="OwnPool"/>: served, timed out, cancelled or rejected, once. The methods for that need the gate of
/// the pool.
/// </summary>
internal sealed class OwnPoolWaiter(TimeProvider clock) : IDisposable
{
    private readonly TaskCompletionSource<Lease<ContractItem>> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _began = clock.GetTimestamp();
    private LinkedList<OwnPoolWaiter>? _queue;
    private CancellationTokenRegistration _registration;
    private ITimer? _timer;

    public Task<Lease<ContractItem>> Task => _answer.Task;

    public TimeSpan Elapsed => clock.GetElapsedTime(_began);

    public void Begin(TimeSpan limit, Action onDeadline, Action onCancelled, CancellationToken cancellationToken)
    {
        if (limit > TimeSpan.Zero)
        {
            _timer = clock.CreateTimer(_ => onDeadline(), state: null, limit, Timeout.InfiniteTimeSpan);
        }

        _registration = cancellationToken.UnsafeRegister(_ => onCancelled(), state: null);
    }

    public void QueueLocked(LinkedList<OwnPoolWaiter> queue)
    {
        if (!_answer.Task.IsCompleted)
        {
            _queue = queue;
            queue.AddLast(this);
        }
    }

    public void TryEndLocked(Lease<ContractItem> lease)
    {
        _queue?.Remove(this);
        _answer.SetResult(lease);
    }

    public void TryEndLocked(Exception failure)
    {
        _queue?.Remove(this);
        _answer.TrySetException(failure);
    }

    public void Dispose()
    {
        _timer?.Dispose();
        _registration.Unregister();
    }
}
