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
            try
            {
                result.SetResult(body());
            }
            catch (Exception failure)
            {
                result.SetException(failure);
            }
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
    /// Advances a manual clock in steps until the condition is met. Other threads get a chance to run in between, because the
    /// condition may depend on them.
    /// </summary>
    public static void AdvanceUntil(ManualTimeProvider clock, Func<bool> condition, TimeSpan step, int steps)
    {
        for (var number = 0; number < steps && !condition(); number++)
        {
            clock.Advance(step);
            LetThreadPoolRun();
            SpinWait.SpinUntil(condition, TimeSpan.FromMilliseconds(20));
        }

        // A timer that was armed late is due at once, and fires when the clock is set, even to the same time.
        Until(() =>
        {
            clock.Advance(TimeSpan.Zero);
            return condition();
        });
    }

    public static void Until(Func<bool> condition) =>
        Assert.True(SpinWait.SpinUntil(condition, Limit), "The condition was not met.");

    /// <summary>
    /// Returns when everything that this thread queued to the thread pool before has started, however busy it is.
    /// </summary>
    // On a thread of the thread pool, work goes to the queue of that thread, from which the others take the oldest first.
    public static void LetThreadPoolRun()
    {
        using var begun = new CountdownEvent(2);
        ThreadPool.QueueUserWorkItem(static begun => begun.Signal(), begun, preferLocal: true);
        ThreadPool.QueueUserWorkItem(static begun => begun.Signal(), begun, preferLocal: false);
        Assert.True(begun.Wait(Limit), "The thread pool does not run.");
    }
}
