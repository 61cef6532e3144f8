using Poolhouse.Tool.Advise.Sampling;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Rules;

/// <summary>Whether threads are created again and again.</summary>
internal static class ThreadRules
{
    private const double LeastPerSecond = 2;

    public static IEnumerable<Finding> Find(Sample sample)
    {
        var perSecond = sample.PerSecond(sample.Threads.Count * sample.ThreadsOfApp);
        if (!sample.Threads.GoOn || perSecond < LeastPerSecond)
        {
            yield break;
        }

        yield return new Finding
        {
            Rule = "threads",
            Title = "Use the thread pool, or a pool of workers, instead of new threads",
            Where = sample.ThreadSite,
            Figures = $"{Units.Digits(perSecond)} threads created a second, without those of the thread pool.",
            Threshold = "from 2 a second on, all the time: creating a thread takes 50 to 200 µs and reserves its stack.",
            Code = """
                await Task.Run(Work);   // for ordinary work

                // for state that belongs to a thread, or calls that block:
                var options = new WorkerPoolOptions { MaxWorkers = 4 };
                await using var workers = WorkerPool.Create(() => new State(), options);
                await workers.RunAsync(state => state.Work());
                """,
            Estimate = new Estimate(Estimate.Threads, perSecond, 0),
            Url = Docs.Page("guides/workers.md"),
        };
    }
}
