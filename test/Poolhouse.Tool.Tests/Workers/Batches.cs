using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Workers;
using Poolhouse.Tool.Bench.Workers.Studies;

namespace Poolhouse.Tool.Tests.Workers;

public sealed class Batches
{
    private const int Items = 100;

    [Fact]
    public void Every_rival_runs_every_item()
    {
        var experiments = new JobExperiment[] { new WorkerThreads(), new WorkerTiny(), new WorkerStates() };
        Assert.All(experiments.Select(experiment => experiment.Plan(new BenchPlan(Quick: true, [1], 1, Input: null))[0]), cell =>
        {
            long[] sums = [.. cell.Contenders.Select(Samples.SumOf)];

            Assert.NotEqual(0, sums[0]);
            Assert.All(sums, sum => Assert.Equal(sums[0], sum));
        });
    }

    [Fact]
    public void ThreadPerItem_starts_one_thread_per_item()
    {
        var contender = new JobContender(RivalNames.NoPool, Items, static () => 1, Runner.OfNewThreads);

        Assert.Equal(Items, Samples.SumOf(contender));
        Assert.Equal(Items, contender.ItemThreads);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void The_number_of_workers_and_consumers_stays_within_the_configured_limit(int workers)
    {
        var ours = new JobContender(RivalNames.Poolhouse, Items, static () => 1, job => Runner.OfWorkers(job, workers));
        var theirs = new JobContender(RivalNames.Channel, Items, static () => 1, job => Runner.OfChannel(job, workers));

        Assert.Equal(Samples.SumOf(theirs), Samples.SumOf(ours));
        Assert.InRange(ours.ItemThreads!.Value, 1, workers);
        Assert.InRange(theirs.ItemThreads!.Value, 1, workers);
    }

    [Fact]
    public async Task A_neighbouring_load_ends_after_its_last_item()
    {
        var (runs, inside) = (0, 0);
        var neighbour = new Neighbour(3, () =>
        {
            Interlocked.Increment(ref inside);
            Interlocked.Increment(ref runs);
            Thread.SpinWait(10_000);
            Interlocked.Decrement(ref inside);
        });
        neighbour.MoveIn();
        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref runs) > 10, TimeSpan.FromMinutes(1)));

        await neighbour.MoveOutAsync().WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);

        Assert.Equal(0, Volatile.Read(ref inside));
        Assert.InRange(neighbour.Peak, 1, 3);
    }

    [Fact]
    public void The_work_loop_scales_linearly_with_its_duration()
    {
        var one = CpuWork.TurnsIn(TimeSpan.FromMilliseconds(1));

        Assert.InRange(CpuWork.TurnsIn(TimeSpan.FromMilliseconds(2)), (2 * one) - 2, (2 * one) + 2);
        Assert.NotEqual(CpuWork.Do(one), CpuWork.Do(one + 1));
    }
}
