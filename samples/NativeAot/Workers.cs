using System.Text;
using Poolhouse.Workers;

namespace Poolhouse.Samples.NativeAot;

internal static class Workers
{
    public static async Task<string> UseAsync()
    {
        var seen = new StringBuilder();
        var events = new WorkEvents();
        var options = new WorkerPoolOptions
        {
            MaxWorkers = 1,
            Name = "words",
            QueueFull = QueueFullMode.Wait,
            Lanes = [new WorkLane(Weight: 2), new WorkLane()],
            Observer = events,
        };
        await using (var pool = new WorkerPool<StringBuilder>(new WordPolicy(), options))
        {
            await EveryWayAsync(pool, seen);
            await FailAsync(pool, seen);
            WorkerShutdown left = await pool.ShutDownAsync(Timeout.InfiniteTimeSpan);
            WorkerPoolStatistics statistics = pool.GetStatistics();
            seen.Append(left.IsComplete).Append(statistics.Rented).Append(statistics.DestroyedFor(WorkerDestroyReason.Tainted));
        }

        await using WorkerPool<NoState> threads = WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = 1 });
        return seen.Append(await threads.RunAsync(static _ => 7)).Append(events.Failed).ToString();
    }

    private static async Task EveryWayAsync(WorkerPool<StringBuilder> pool, StringBuilder seen)
    {
        seen.Append(await pool.RunAsync(static word => word.Length));
        seen.Append(
            await pool.RunAsync(static (word, text) => word.Append(text).Length, "s", new WorkOptions { Lane = 1, Key = "key" }));
        seen.Append(await pool.RunAsync(static async word =>
        {
            await Task.Yield();
            return word.ToString();
        }));
        await pool.PostAsync(static (word, text) => word.Append(text), "!");
        pool.TryPost(static (word, text) => word.Append(text), "!");
        seen.Append(await pool.BroadcastAsync(static word => word.Append('!')));
        seen.Append(await Task.Factory.StartNew(
            () => pool.CurrentState.ToString(), CancellationToken.None, TaskCreationOptions.None, pool.Scheduler));
    }

    private static async Task FailAsync(WorkerPool<StringBuilder> pool, StringBuilder seen)
    {
        try
        {
            await pool.RunAsync(static _ => Fail());
        }
        catch (NotSupportedException failure)
        {
            seen.Append(failure.Message);
        }
        catch (WorkTimeoutException late)
        {
            seen.Append(late.Phase == WorkPhase.Run);
        }
    }

    private static void Fail() => throw new NotSupportedException("not in a native build either");
}
