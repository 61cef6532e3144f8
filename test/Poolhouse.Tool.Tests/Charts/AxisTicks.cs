using Poolhouse.Tool.Bench.Charts;

namespace Poolhouse.Tool.Tests.Charts;

public sealed class AxisTicks
{
    [Fact]
    public void A_log_axis_has_a_tick_at_each_power_of_ten()
    {
        var axis = Axis.Logarithmic("x", 10, 1_000_000, Units.Short);

        Assert.Equal([10, 100, 1_000, 10_000, 100_000, 1_000_000], axis.Ticks.Select(tick => tick.Value));
        Assert.Equal(["10", "100", "1k", "10k", "100k", "1M"], axis.Ticks.Select(tick => tick.Label));
    }

    [Fact]
    public void A_short_log_axis_has_ticks_at_two_and_five_as_well()
    {
        var axis = Axis.Logarithmic("x", 3, 80, Units.Count);

        Assert.Equal([2, 5, 10, 20, 50, 100], axis.Ticks.Select(tick => tick.Value));
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(5, 5)]
    [InlineData(10, 10)]
    [InlineData(0.001, 0.001)]
    [InlineData(7.3, 7.4)]
    [InlineData(0.02, 30_000)]
    public void A_log_axis_holds_all_values_and_has_a_width(double min, double max)
    {
        var axis = Axis.Logarithmic("x", min, max, Units.Digits);

        Assert.True(axis.Min < axis.Max);
        Assert.InRange(axis.Place(min), 0, 1);
        Assert.InRange(axis.Place(max), 0, 1);
        Assert.InRange(axis.Ticks.Count, 2, 12);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(-1, 1)]
    [InlineData(2, 1)]
    [InlineData(1, double.PositiveInfinity)]
    public void A_log_axis_rejects_values_without_a_logarithm(double min, double max) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Axis.Logarithmic("x", min, max, Units.Count));

    [Fact]
    public void Half_and_double_are_equally_far_from_no_deviation()
    {
        var axis = Axis.Logarithmic("deviation", 0.1, 10, Units.Deviation);

        Assert.Equal(axis.Place(1) - axis.Place(0.5), axis.Place(2) - axis.Place(1), 9);
        Assert.Contains(new Tick(0.5, "−50 %"), axis.Ticks);
        Assert.Contains(new Tick(1, "0 %"), axis.Ticks);
        Assert.Contains(new Tick(2, "+100 %"), axis.Ticks);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0.37)]
    [InlineData(9)]
    [InlineData(1234)]
    public void A_linear_axis_starts_at_zero_and_ends_at_or_above_the_largest_value(double max)
    {
        var axis = Axis.Linear("y", max, Units.Digits);

        Assert.Equal(0, axis.Place(0));
        Assert.InRange(axis.Place(max), 0, 1);
        Assert.InRange(axis.Ticks.Count, 1, 6);
    }

    [Fact]
    public void A_linear_axis_of_bytes_has_round_numbers_of_their_unit()
    {
        var axis = Axis.Linear("bytes", 799 * 1024, Units.Bytes, Units.ByteUnit(799 * 1024));

        Assert.Equal(["0 B", "200 KiB", "400 KiB", "600 KiB", "800 KiB"], axis.Ticks.Select(tick => tick.Label));
    }

    [Fact]
    public void A_single_value_is_in_the_middle_of_its_axis() =>
        Assert.Equal(0.5, Axis.LogarithmicAt("threads", [4], Units.Count).Place(4), 9);
}
