using Poolhouse.Workers;

#pragma warning disable CA2012 // Each task is inspected before it is awaited, by a test that measures the cost of awaiting.

namespace Poolhouse.Tests.Workers;

/// <summary>I24: an item with a static delegate allocates nothing, neither when it is queued nor when it runs.</summary>
[Collection(nameof(Alone))]
public sealed class AllocationGates
{
    private const int Items = 2_000;

    public enum Way
    {
        Post,
        LabelledPost,
        PostOfAValue,
        AwaitedPost,
        Run,
        Result,
        Bounded,
        Timed,
        Blocking,
    }

    public static TheoryData<Way> Ways => new(Enum.GetValues<Way>());

    [Theory]
    [MemberData(nameof(Ways))]
    public void Static_delegates_allocate_nothing_after_the_first_ones(Way way)
    {
        var options = new WorkerPoolOptions { MaxWorkers = 1, QueueCapacity = way == Way.Bounded ? 100 : int.MaxValue };
        options.QueueTimeout = way == Way.Timed ? TimeSpan.FromHours(1) : Timeout.InfiniteTimeSpan;
        using var pool = WorkerPool.Create(static () => new Counter(), options);
        var item = ItemOf(way, pool);
        for (var i = 0; i < 3; i++)
        {
            Cycle(pool, item);
        }

        // The least of five: collections that others caused and threads that the runtime starts count as well.
        var bytes = Enumerable.Range(0, 5).Min(_ =>
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            Cycle(pool, item);
            return GC.GetTotalAllocatedBytes(precise: true) - before;
        });

        // This includes the wake-ups of the callers that wait for the last item of a cycle, and their cost in the thread pool.
        Assert.InRange(bytes, 0, Items * (way == Way.Blocking ? 200 : 2));
    }

    [Fact]
    public void A_burst_of_posts_allocates_nothing_after_the_first_one()
    {
        const int Burst = 20_000;
        using var pool = WorkerPool.Create(static () => new Counter(), new WorkerPoolOptions { MaxWorkers = 1 });
        var bytes = Enumerable.Range(0, 6).Min(_ =>
        {
            using var release = new ManualResetEventSlim();
            pool.TryPost(static (_, release) => release.Wait(), release);
            var before = GC.GetTotalAllocatedBytes(precise: true);
            for (var i = 0; i < Burst; i++)
            {
                pool.TryPost(static (counter, _) => counter.Count++, string.Empty);
            }

            release.Set();
            pool.Run(static counter => counter.Count);
            return GC.GetTotalAllocatedBytes(precise: true) - before;
        });

        Assert.InRange(bytes, 0, Burst * 2);
    }

    private static Action ItemOf(Way way, WorkerPool<Counter> pool)
    {
        var argument = new object();
        switch (way)
        {
            case Way.Post:
                return () => pool.TryPost(static (counter, _) => counter.Count++, argument);
            case Way.PostOfAValue:
                return () => pool.TryPost(static (counter, one) => counter.Count += one, 1);
            case Way.AwaitedPost:
                return () =>
                    Assert.True(pool.PostAsync(static (counter, _) => counter.Count++, argument).IsCompletedSuccessfully);
            case Way.LabelledPost:
                var settings = new WorkOptions { Label = "label" };
                return () => pool.TryPost(static (counter, _) => counter.Count++, argument, settings);
            case Way.Result:
                return () => Take(pool.RunAsync(static (counter, one) => counter.Count += one, 1));
            case Way.Blocking:
                return () => pool.Run(static counter => counter.Count++);
            default:
                return () => Take(pool.RunAsync(static (counter, one) => { counter.Count += one; }, 1));
        }
    }

    private static void Cycle(WorkerPool<Counter> pool, Action item)
    {
        for (var i = 0; i < Items; i++)
        {
            item();
        }

        pool.Run(static counter => counter.Count);
    }

    // Not awaited: the machinery of the compiler would be most of what is counted.
    private static void Take(ValueTask<int> item)
    {
        var spinner = default(SpinWait);
        while (!item.IsCompleted)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }

        _ = item.Result;
    }

    private static void Take(ValueTask item)
    {
        var spinner = default(SpinWait);
        while (!item.IsCompleted)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }

        item.GetAwaiter().GetResult();
    }

    private sealed class Counter
    {
        public int Count { get; set; }
    }
}
