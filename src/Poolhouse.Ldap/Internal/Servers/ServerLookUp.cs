namespace Poolhouse.Ldap.Internal.Servers;

/// <summary>One lookup of servers, for all callers that wait for it. It ends once.</summary>
// The outcome is a value, so that a failure without a waiter does not become an unobserved exception.
internal sealed class ServerLookUp
{
    private readonly TaskCompletionSource<Exception?> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _ended;

    /// <summary>Completes with the exception of the failure, or null.</summary>
    public Task<Exception?> Outcome => _outcome.Task;

    /// <summary>Decides between the answer and the timeout.</summary>
    /// <returns>Whether the caller ends it.</returns>
    public bool TryEnd() => Interlocked.Exchange(ref _ended, 1) == 0;

    /// <summary>Notifies the waiters; called by the code that ended the lookup.</summary>
    public void Complete(Exception? failure) => _outcome.SetResult(failure);
}
