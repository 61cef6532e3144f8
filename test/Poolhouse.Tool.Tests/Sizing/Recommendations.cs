using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Size;

namespace Poolhouse.Tool.Tests.Sizing;

public sealed class Recommendations
{
    [Fact]
    public void The_smallest_size_within_5_percent_of_the_best_is_recommended()
    {
        var advice = Of((1, 400), (2, 700), (4, 951), (8, 1000), (16, 900));

        Assert.Equal(4, advice.Chosen.Size);
        Assert.Equal(8, advice.Best.Size);
        Assert.Contains("95.1 % of the maximum", advice.Text, StringComparison.Ordinal);
        Assert.Contains("2 connections reach only 700/s", advice.Text, StringComparison.Ordinal);
        Assert.Contains("wait inside the database", advice.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Slightly_less_than_95_percent_is_not_enough() =>
        Assert.Equal(8, Of((1, 400), (2, 700), (4, 949), (8, 1000)).Chosen.Size);

    [Fact]
    public void The_order_of_measurement_does_not_matter() =>
        Assert.Equal(2, Of((8, 1000), (2, 990), (4, 995), (1, 500)).Chosen.Size);

    [Fact]
    public void One_connection_is_recommended_if_more_bring_no_gain()
    {
        var advice = Of((1, 1000), (2, 1010), (4, 1020));

        Assert.Equal(1, advice.Chosen.Size);
        Assert.StartsWith("1 connection: 1,000/s", advice.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("do only", advice.Text, StringComparison.Ordinal);
        Assert.Contains("hardly any gain", advice.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void When_the_largest_size_wins_the_report_suggests_trying_larger_ones()
    {
        var advice = Of((1, 100), (2, 200), (4, 400));

        Assert.Equal(4, advice.Chosen.Size);
        Assert.Contains("No other size has a higher throughput.", advice.Text, StringComparison.Ordinal);
        Assert.Contains("more --callers", advice.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void When_the_server_has_no_room_for_more_the_report_does_not_suggest_more_callers()
    {
        SizePoint[] points = [.. new[] { 1, 2, 4 }.Select(size => new SizePoint(size, 100 * size, 0.1, 0.2))];

        var text = SizeAdvice.Of(points, fillsServer: true)!.Text;

        Assert.Contains("the server has no room for more connections", text, StringComparison.Ordinal);
        Assert.DoesNotContain("--callers", text, StringComparison.Ordinal);
    }

    [Fact]
    public void One_round_of_each_size_is_inconclusive()
    {
        SizePoint[] points = [.. new[] { 1, 2 }.Select(size => SizePoint.Of(size, new LoadResult(1, [0.1, 0.2])))];

        var advice = SizeAdvice.Of(points)!;

        Assert.False(advice.IsConclusive);
        Assert.Contains("Each size was measured once", advice.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void With_a_single_size_nothing_is_compared()
    {
        var advice = Of((1, 100));

        Assert.Equal(1, advice.Chosen.Size);
        Assert.DoesNotContain("--callers", advice.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_completed_query_nothing_is_recommended()
    {
        Assert.Null(SizeAdvice.Of([]));
        Assert.Null(SizeAdvice.Of([new SizePoint(1, 0, 0, 0), new SizePoint(2, 0, 0, 0)]));
    }

    [Theory]
    [InlineData(1.1, false)]
    [InlineData(1.3, true)]
    public void Rounds_that_differ_by_more_than_the_compared_gap_are_reported(double spread, bool confessed)
    {
        SizePoint[] points = [.. new[] { 1, 2, 4 }.Select(size => new SizePoint(size, 100 * size, 0.1, 0.2) { Spread = spread })];

        var text = SizeAdvice.Of(points)!.Text;

        Assert.Equal(confessed, text.Contains("30 % in the median", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(1.49, true)]
    [InlineData(4.71, false)]
    public void If_rounds_of_one_size_differ_by_more_than_half_nothing_is_recommended(double spread, bool conclusive)
    {
        SizePoint[] points = [.. new[] { 1, 2, 4 }.Select(size => new SizePoint(size, 100 * size, 0.1, 0.2) { Spread = spread })];

        var advice = SizeAdvice.Of(points)!;

        Assert.Equal(conclusive, advice.IsConclusive);
        Assert.Equal(!conclusive, advice.Text.StartsWith("Inconclusive.", StringComparison.Ordinal));
    }

    [Fact]
    public void Rounds_of_one_size_are_combined()
    {
        var point = SizePoint.Of(3, new LoadResult(1, [0.1, 0.2, 0.9]), new LoadResult(1, [0.15]));

        Assert.Equal(3, point.Size);
        Assert.Equal(2, point.PerSecond);
        Assert.Equal(0.15, point.Median);
        Assert.Equal(0.9, point.Slow);
        Assert.Equal(3, point.Spread);
        Assert.Equal(2, point.Rounds);
    }

    private static SizeAdvice Of(params (int Size, double PerSecond)[] points) =>
        SizeAdvice.Of([.. points.Select(point => new SizePoint(point.Size, point.PerSecond, 0.001, 0.01))])!;
}
