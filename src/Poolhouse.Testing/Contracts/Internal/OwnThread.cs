namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>Runs code that blocks on a thread of its own.</summary>
internal static class OwnThread
{
    public static Task<TResult> RunAsync<TResult>(Func<TResult> body)
    {
        var done = new TaskCompletionSource<TResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() =>
        {
            try
            {
                done.SetResult(body());
            }
            catch (OperationCanceledException cancelled)
            {
                done.SetCanceled(cancelled.CancellationToken);
            }
#pragma warning disable CA1031 // It belongs to the caller that awaits the task.
            catch (Exception failure)
#pragma warning restore CA1031
            {
                done.SetException(failure);
            }
        })
        {
            IsBackground = true,
            Name = "Poolhouse contract",
        };
        thread.Start();
        return done.Task;
    }

    public static Task RunAsync(Action body) => RunAsync(() =>
    {
        body();
        return true;
    });
}
