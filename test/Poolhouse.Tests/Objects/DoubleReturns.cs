
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

    // A sweep moves what the thread returned before to the depot, where the next item is looked for.
    [Fact]
    public void An_item_that_is_equal_to_another_one_is_not_the_same()
    {
        var pool = new TieredObjectPool<Point>(() => new Point(0, 0), _ => true, StatisticsAssert.Retaining(8));
        Point[] points = [pool.Get(), pool.Get(), pool.Get()];
        foreach (var point in points)
        {
            pool.Return(point);
            Assert.Equal(0, pool.Prefill(0));
        }

        Assert.Equal((0, 0, 3), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Leased, pool.GetStatistics().Retained));
        Assert.Equal(4, pool.Prefill(4));
        Assert.Equal(7, Enumerable.Range(0, 7).Select(_ => pool.Get()).Distinct(ReferenceEqualityComparer.Instance).Count());
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void A_refused_item_that_is_equal_to_another_one_is_destroyed()
    {
        var accepts = true;
        var pool = new TieredObjectPool<Equal>(() => new Equal(), _ => accepts, StatisticsAssert.Retaining(8));
        var (first, second) = (pool.Get(), pool.Get());
        pool.Return(first);
        pool.Prefill(0);
        accepts = false;
        pool.Return(second);

        Assert.Equal((0, 1), (first.Disposals, second.Disposals));
        Assert.Equal((0, 0), (first.Comparisons, second.Comparisons));
        Assert.Equal((0, 1), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Refused));
        StatisticsAssert.Balanced(pool.GetStatistics());
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

    private sealed record Point(int X, int Y);

    private sealed class Equal : IDisposable
    {
        public int Disposals { get; private set; }

        public void Dispose() => Disposals++;

        /// <summary>Calls of user code under the lock of the pool.</summary>
        public int Comparisons { get; private set; }

        public override bool Equals(object? obj)
        {
            Comparisons++;
            return obj is Equal;
        }

        public override int GetHashCode() => 1;
    }
}
