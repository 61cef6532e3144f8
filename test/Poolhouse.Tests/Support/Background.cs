using Poolhouse.Testing;

namespace Poolhouse.Tests;

/// <summary>Calls that block, each on a thread of its own, and a limit to how long a test waits for them.</summary>
internal static class Background
{
    /// <summary>Long for any machine; only a failing test waits so long.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

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

    /// <summary>Whether an action completes on another thread while this one is blocked.</summary>
    public static bool CanDo(Action body) => Start(() =>
    {
        body();
        return true;
    }).Wait(Limit);

    /// <summary>
    /// Lets a manual clock pass in steps until something has happened, which may need other threads to have their turn in
    /// between.
    /// </summary>
    public static void PassUntil(ManualTimeProvider clock, Func<bool> condition, TimeSpan step, int steps)
    {
        for (var number = 0; number < steps && !condition(); number++)
        {
            clock.Advance(step);
            LetThreadPoolRun();
            SpinWait.SpinUntil(condition, TimeSpan.FromMilliseconds(20));
        }

        Until(condition);
    }

    public static void Until(Func<bool> condition) => Assert.True(SpinWait.SpinUntil(condition, Limit), "It did not happen.");

    /// <summary>What the thread pool was given before this has begun, however busy it is.</summary>
    public static void LetThreadPoolRun()
    {
        using var begun = new ManualResetEventSlim();
        ThreadPool.QueueUserWorkItem(static begun => begun.Set(), begun, preferLocal: false);
        Assert.True(begun.Wait(Limit), "The thread pool does not run.");
    }
}
