using Poolhouse.Tool.Size;

namespace Poolhouse.Tool.Tests.Sizing;

public sealed class Plans
{
    [Theory]
    [InlineData(1, "1")]
    [InlineData(2, "1 2")]
    [InlineData(32, "1 2 3 4 6 8 12 16 24 32")]
    [InlineData(20, "1 2 3 4 6 8 12 16 20")]
    public void Sizes_grow_by_a_third_or_half_up_to_one_connection_per_caller(int callers, string sizes) =>
        Assert.Equal(sizes, string.Join(' ', SizePlan.For(callers, room: null, TimeSpan.FromSeconds(1)).Sizes));

    [Theory]
    [InlineData(10, 10)]
    [InlineData(0, 1)]
    [InlineData(-2, 1)]
    [InlineData(1000, 32)]
    public void No_pool_exceeds_the_connection_limit_of_the_server(int room, int largest) =>
        Assert.Equal(largest, SizePlan.For(32, room, TimeSpan.FromSeconds(1)).Sizes[^1]);

    [Fact]
    public void Rounds_alternate_between_ascending_and_descending_sizes() =>
        Assert.Equal([1, 2, 3, 3, 2, 1, 1, 2, 3], SizePlan.For(3, room: null, TimeSpan.FromSeconds(1)).Order);

    [Fact]
    public void The_minimum_time_allows_five_queries_per_turn()
    {
        var plan = SizePlan.For(4, room: null, TimeSpan.FromSeconds(1));

        var least = plan.LeastFor(TimeSpan.FromSeconds(0.65));

        Assert.Equal(4 * 3 * 5, least.TotalSeconds, 3);
    }
}
