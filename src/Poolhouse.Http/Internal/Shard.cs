using Poolhouse.Kernel.Threading;

namespace Poolhouse.Http.Internal;

/// <summary>
/// One inner handler, which takes requests until it is retired, and is disposed when the last of their responses has ended.
/// </summary>
// Invariants
//   the state is the count of requests whose responses have not ended, and the flag that none may begin
//   retired with a count of zero is reached exactly once, because nothing counts up after the flag: the code that reaches it
//   disposes
#pragma warning disable CA1001 // It disposes itself, when it is retired and the last response has ended.
internal sealed class Shard(HttpMessageHandler handler, long madeAt, Action disposed) : Permit
#pragma warning restore CA1001
{
    private const int Retired = 1 << 30;

    // Disposes the handler with it.
    private readonly HttpMessageInvoker _invoker = new(handler);
    private long _requests;
    private int _state;

    public HttpMessageInvoker Invoker => _invoker;

    public long CreatedAt => madeAt;

    /// <summary>The version of the handler when the creation of this shard began.</summary>
    public long Version { get; init; }

    public int Outstanding => Volatile.Read(ref _state) & ~Retired;

    public long Requests => Volatile.Read(ref _requests);

    public void CountRequest() => Interlocked.Increment(ref _requests);

    /// <summary>Adds a request to the shard, or returns false if the shard is retired.</summary>
    public bool TryBegin()
    {
        for (var state = Volatile.Read(ref _state); (state & Retired) == 0;)
        {
            var seen = Interlocked.CompareExchange(ref _state, state + 1, state);
            if (seen == state)
            {
                return true;
            }

            state = seen;
        }

        return false;
    }

    public override void End()
    {
        if (Interlocked.Decrement(ref _state) == Retired)
        {
            QueueDisposal();
        }
    }

    /// <summary>Takes no more requests. Harmless when repeated.</summary>
    public void Retire()
    {
        if (Interlocked.Or(ref _state, Retired) == 0)
        {
            QueueDisposal();
        }
    }

    // No user code runs on the stack of the caller that read the last byte.
    private void QueueDisposal() => Interrupts.Defer(
        this, static shard => ThreadPool.UnsafeQueueUserWorkItem(static shard => shard.Dispose(), shard, preferLocal: false));

    private void Dispose()
    {
        try
        {
            _invoker.Dispose();
        }
#pragma warning disable CA1031 // No caller could handle the exception, and the shard is gone in any case.
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        disposed();
    }
}
