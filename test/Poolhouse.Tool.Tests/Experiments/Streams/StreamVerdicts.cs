using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Streams;
using Poolhouse.Tool.Bench.Streams.Pdf;

namespace Poolhouse.Tool.Tests.Experiments.Streams;

public sealed class StreamVerdicts
{
    [Fact]
    public void The_verdict_on_lengths_states_the_threshold_and_the_largest_share_of_bytes()
    {
        Measurement[] results =
        [
            Of(RivalNames.NoPool, 100, 1000, 100), Of(RivalNames.Poolhouse, 120, 40, 100),
            Of(RivalNames.NoPool, 100, 9000, 4096), Of(RivalNames.Poolhouse, 50, 40, 4096),
        ];

        var verdict = new StreamLengths().Judge(results);

        Assert.Equal(Outcome.Depends, verdict.Outcome);
        Assert.Equal(
            "Pooling pays with 1 thread from 4 KiB on. It allocates at most 4 % of the bytes.",
            verdict.Text);
    }

    [Theory]
    [InlineData(90, 500, Outcome.Pays)]
    [InlineData(101, 500, Outcome.Depends)]
    [InlineData(101, 1000, Outcome.DoesNotPay)]
    [InlineData(110, 500, Outcome.DoesNotPay)]
    public void Less_memory_in_the_same_time_is_distinguished_from_less_time(double time, double bytes, object outcome)
    {
        Measurement[] results = [Of(RivalNames.NoPool, 100, 1000, 850_000), Of(RivalNames.Poolhouse, time, bytes, 850_000)];

        Assert.Equal((Outcome)outcome, new PdfPageOrder().Judge(results).Outcome);
    }

    [Theory]
    [InlineData(10, 5, 20, Outcome.Holds)]
    [InlineData(11, 5, 20, Outcome.FallsShort)]
    [InlineData(10, 6, 20, Outcome.FallsShort)]
    [InlineData(10, 5, 21, Outcome.FallsShort)]
    [InlineData(double.NaN, 5, 20, Outcome.FallsShort)]
    public void Many_streams_must_be_no_slower_allocate_a_twentieth_and_use_no_more_memory(
        double seconds, double bytes, double memory, object outcome)
    {
        Trial[] trials = [Trial(RivalNames.NoPool, 10, 100, 20), Trial(RivalNames.Poolhouse, seconds, bytes, memory)];

        Assert.Equal((Outcome)outcome, new ManyStreams().Judge(trials, planned: 2).Outcome);
    }

    private static Measurement Of(string rival, double nanoseconds, double bytes, long length) =>
        Samples.Measurement(rival, nanoseconds, 1, "sample", "", length) with { BytesPerOperation = bytes };

    private static Trial Trial(string rival, double seconds, double bytes, double memory) => new(
        rival,
        [],
        [
            new Finding("Time for 64 streams", seconds, Quantity.Seconds, Expectation.Less),
            new Finding("Allocated for 64 streams", bytes, Quantity.Bytes, Expectation.Less),
            new Finding("Most managed memory", memory, Quantity.Bytes, Expectation.Less),
        ]);
}
