namespace Poolhouse.Ldap;

/// <summary>The threads that blocking calls run on: bounded, with deadlines of the pool's own.</summary>
internal sealed class LdapThreads(TimeProvider clock) : IDisposable
{
    /// <summary>Runs a call. Whoever waits is answered in time even if the call never comes back.</summary>
    /// <exception cref="TimeoutException">The call takes too long, or no thread was free in time.</exception>
    public async Task<TResult> RunAsync<TResult>(LdapCall<TResult> call, TimeSpan timeout, string label, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var run = Task.Factory.StartNew(call.Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            await run.WaitAsync(timeout, clock, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is (TimeoutException or OperationCanceledException) && !call.TryGiveUp())
        {
            // It ended in the same moment.
            _ = label;
        }

        return call.Outcome();
    }

    public void Dispose()
    {
    }
}
