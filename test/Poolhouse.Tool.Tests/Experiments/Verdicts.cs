using System.Globalization;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Tests.Experiments;

public sealed class Verdicts
{
    [Fact]
    public void A_pool_pays_from_the_size_after_which_it_never_loses_again()
    {
        Assert.Equal(100, Crossover.From([(10, 2), (100, 0.9), (1000, 0.5)]));
        Assert.Equal(1000, Crossover.From([(10, 0.5), (100, 1.2), (1000, 0.5)]));
        Assert.Null(Crossover.From([(10, 0.1), (100, 0.1), (1000, 0.96)]));
        Assert.Null(Crossover.From([]));
    }

    [Fact]
    public void Equal_answers_of_several_thread_counts_are_put_together()
    {
        Measurement[] results =
        [
            .. Cell(1, 10, pooled: 200), .. Cell(1, 1000, pooled: 50),
            .. Cell(2, 10, pooled: 50), .. Cell(2, 1000, pooled: 50),
            .. Cell(4, 10, pooled: 50), .. Cell(4, 1000, pooled: 50),
            .. Cell(8, 10, pooled: 50), .. Cell(8, 1000, pooled: 150),
        ];

        var verdict = Crossover.Judge(results, 0, Number);

        Assert.Equal(Outcome.Depends, verdict.Outcome);
        Assert.Equal(
            "Pooling pays with 1 thread from 1000 on, with 2–4 threads from 10 on; with 8 threads it does not.", verdict.Text);
    }

    [Fact]
    public void Pools_that_always_pay_and_never_pay_are_distinguished()
    {
        Assert.Equal(Outcome.Pays, Crossover.Judge([.. Cell(1, 10, pooled: 10)], 0, Number).Outcome);
        Assert.Equal(Outcome.DoesNotPay, Crossover.Judge([.. Cell(1, 10, pooled: 100)], 0, Number).Outcome);
        Assert.Equal(Outcome.Unknown, Crossover.Judge([], 0, Number).Outcome);
    }

    [Fact]
    public void Every_experiment_reports_that_nothing_was_measured() =>
        Assert.All(Catalog.All.OfType<Experiment>(), experiment => Assert.Equal(Outcome.Unknown, experiment.Judge([]).Outcome));

    [Fact]
    public void Losses_are_measured_against_the_best_pool_beyond_noise_and_sorted_by_size()
    {
        Measurement[] results =
        [
            .. Cell(1, 10, pooled: 104), Samples.Measurement(RivalNames.DefaultPool, 100, 1, "sample", "", 10),
            .. Cell(1, 100, pooled: 150), Samples.Measurement(RivalNames.DefaultPool, 100, 1, "sample", "", 100),
            .. Cell(2, 10, pooled: 90), Samples.Measurement(RivalNames.DefaultPool, 45, 2, "sample", "", 10),
            Samples.Measurement(RivalNames.Bag, 30, 2, "sample", "", 10),
        ];

        var losses = Losses.ToPools(results);

        Assert.Equal([3.0, 1.5], losses.Select(loss => loss.Ratio));
        Assert.Equal(RivalNames.Bag, losses[0].Best.Rival);
    }

    [Fact]
    public void Losses_against_no_pool_are_counted_separately()
    {
        Measurement[] results = [.. Cell(1, 10, pooled: 104), .. Cell(1, 100, pooled: 150), .. Cell(2, 10, pooled: 90)];

        Assert.Equal(1.5, Assert.Single(Losses.ToNoPool(results)).Ratio);
        Assert.Empty(Losses.ToPools(results));
    }

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);

    private static Measurement[] Cell(int threads, long size, double pooled) =>
    [
        Samples.Measurement(RivalNames.NoPool, 100, threads, "sample", "", size),
        Samples.Measurement(RivalNames.Poolhouse, pooled, threads, "sample", "", size),
    ];
}
