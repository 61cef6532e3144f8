using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Contracts.Workers;

/// <summary>
/// Helpers for the checks of worker pools: the pool of a kind, a manual clock, and waits with a limit.
/// </summary>
/// <typeparam name="TState">The type of the state.</typeparam>
public abstract class WorkerPoolTrial<TState>
    where TState : notnull
{
    /// <summary>How long a check waits in real time.</summary>
    protected virtual TimeSpan Limit => TimeSpan.FromSeconds(30);

    protected ManualTimeProvider Clock { get; } = new();

    /// <summary>Creates a pool of the kind that is tested.</summary>
    protected abstract WorkerPool<TState> Create(WorkerPoolOptions options);

    /// <summary>The key of an item; null for pools without keys.</summary>
    protected abstract object? KeyOf(int item);

    protected static void Run(int[] runs, int item, bool fails)
    {
        Interlocked.Increment(ref runs[item]);
        if (fails)
        {
            throw new InvalidDataException();
        }
    }

    /// <summary>Waits until all callers have an outcome, of any kind.</summary>
    protected async Task AnsweredAsync(IEnumerable<Task> callers)
    {
        var all = Task.WhenAll(callers);
        Assert.True(await Task.WhenAny(all, Task.Delay(Limit, TimeProvider.System)) == all, "A caller was not answered.");
    }

    protected void Until(Func<bool> condition) => Assert.True(SpinWait.SpinUntil(condition, Limit), "The condition was not met.");

    protected void AssertAtRest(WorkerPool<TState> pool) =>
        Until(() => pool.GetStatistics() is { Leased: 0, Waiting: 0 } now && now.Created == now.Destroyed);

    protected WorkerPoolOptions Options(int workers) => new() { MaxWorkers = workers, TimeProvider = Clock, Name = "contract" };

    protected WorkOptions With(int item, TimeSpan? queueTimeout) => new() { Key = KeyOf(item), QueueTimeout = queueTimeout };
}
