
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

    // A reset that accepts an item once: the second return of the same use finds it clean already.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_double_return_that_the_reset_refuses_does_not_destroy_the_item(bool throws)
    {
        var returns = 0;
        var pool = new TieredObjectPool<DisposableItem>(
            () => new DisposableItem(),
            _ => ++returns % 2 == 1 || (throws ? throw new InvalidOperationException("clean") : false),
            StatisticsAssert.Retaining(1));
        var item = pool.Get();
        pool.Return(item);
        _ = Record.Exception(() => pool.Return(item));

        Assert.Equal(0, item.Disposals);
        Assert.Same(item, pool.Get());
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Refused));
        StatisticsAssert.Balanced(pool.GetStatistics());
    }
}
