namespace Poolhouse.Tests;

/// <summary>Calls that block, each on a thread of its own, and a limit to how long a test waits for them.</summary>
internal static class Background
{
    /// <summary>Long for any machine; only a failing test waits so long.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    public static Task<T> Start<T>(Func<T> body)
    {
        var result = new TaskCompletionSource<T>();
        var thread = new Thread(() =>
        {
#pragma warning disable CA1031 // Whatever it is, the test gets it.
            try
            {
                result.SetResult(body());
            }
            catch (Exception failure)
            {
                result.SetException(failure);
            }
#pragma warning restore CA1031
        })
        { IsBackground = true };
        thread.Start();
        return result.Task;
    }

    /// <summary>Whether something can be done on another thread now, while this one stands still.</summary>
    public static bool CanDo(Action body) => Start(() =>
    {
        body();
        return true;
    }).Wait(Limit);

    public static void Until(Func<bool> condition) => Assert.True(SpinWait.SpinUntil(condition, Limit), "It did not happen.");
}
