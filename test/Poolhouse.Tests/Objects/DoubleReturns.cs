
namespace Poolhouse.Tests.Objects;

public sealed class DoubleReturns
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(65)]
    public void The_item_returned_last_is_recognised_and_counted(int retained)
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(retained));
        var items = Enumerable.Range(0, retained).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);

        pool.Return(items[^1]);

        Assert.Equal(1, pool.GetStatistics().DoubleReturns);
        Assert.Equal(retained, pool.GetStatistics().Retained);
        Assert.Equal(retained, Enumerable.Range(0, retained).Select(_ => pool.Get()).Distinct().Count());
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void A_double_return_does_not_destroy_the_item()
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, StatisticsAssert.Retaining(1));
        var item = pool.Get();
        pool.Return(item);
        pool.Return(item);

        Assert.Equal(0, item.Disposals);
        Assert.Same(item, pool.Get());
    }
}
