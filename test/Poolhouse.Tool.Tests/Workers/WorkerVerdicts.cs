using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Workers.Studies;

namespace Poolhouse.Tool.Tests.Workers;

public sealed class WorkerVerdicts
{
    [Theory]
    [InlineData(100, 100, Outcome.Pays)]
    [InlineData(100, 120, Outcome.Depends)]
    [InlineData(1_000, 980, Outcome.DoesNotPay)]
    public void Workers_must_beat_a_thread_per_item_and_nearly_match_the_thread_pool(double pool, double own, object outcome)
    {
        Measurement[] results =
        [
            Samples.Measurement(RivalNames.NoPool, 1, parameters: 100),
            Samples.Measurement(RivalNames.Poolhouse, 100, parameters: 100),
            Samples.Measurement(RivalNames.NoPool, 1_000, parameters: 1_000),
            Samples.Measurement(RivalNames.ThreadPool, pool, parameters: 1_000),
            Samples.Measurement(RivalNames.Poolhouse, own, parameters: 1_000),
        ];

        Assert.Equal((Outcome)outcome, new WorkerThreads().Judge(results).Outcome);
    }

    [Theory]
    [InlineData(100, 100, 80, Outcome.Holds)]
    [InlineData(100, 99, 80, Outcome.FallsShort)]
    [InlineData(100, 100, 79, Outcome.FallsShort)]
    public void Tiny_items_must_be_as_fast_as_a_channel_and_nearly_as_fast_as_the_thread_pool(
        double own, double channel, double pool, object outcome)
    {
        Measurement[] results =
        [
            Samples.Measurement(RivalNames.Poolhouse, own, parameters: 1),
            Samples.Measurement(RivalNames.Channel, channel, parameters: 1),
            Samples.Measurement(RivalNames.ThreadPool, pool, parameters: 1),
        ];

        Assert.Equal((Outcome)outcome, new WorkerTiny().Judge(results).Outcome);
    }

    [Theory]
    [InlineData(0.010, 0.040, Outcome.Holds)]
    [InlineData(0.011, 0.040, Outcome.FallsShort)]
    public void Next_to_other_load_items_must_start_in_a_quarter_of_the_time(double own, double theirs, object outcome)
    {
        Trial[] trials = [Of(RivalNames.ThreadPool, theirs), Of(RivalNames.Poolhouse, own)];
        Assert.Equal((Outcome)outcome, new WorkerBusyNeighbour().Judge(trials, planned: 2).Outcome);
        Assert.Equal((Outcome)outcome, new WorkerBlockedNeighbour().Judge(trials, planned: 2).Outcome);

        static Trial Of(string rival, double wait) =>
            new(rival, [], [new Finding("99th percentile beside the neighbour", wait, Quantity.Seconds, Expectation.Less)]);
    }

    [Fact]
    public void Missing_measurements_give_no_verdict()
    {
        Assert.Equal(Outcome.Unknown, new WorkerThreads().Judge([]).Outcome);
        Assert.Equal(Outcome.Unknown, new WorkerTiny().Judge([]).Outcome);
        Assert.Equal(Outcome.Unknown, new WorkerStates().Judge([]).Outcome);
    }
}
