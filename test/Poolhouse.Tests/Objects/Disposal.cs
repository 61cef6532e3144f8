
namespace Poolhouse.Tests.Objects;

public sealed class Disposal
{
    [Fact]
    public void Retained_items_are_disposed_once_on_all_tiers()
    {
        var policy = new RecordingPolicy<DisposableItem>(() => new DisposableItem());
        var pool = new TieredObjectPool<DisposableItem>(policy, StatisticsAssert.Retaining(200));
        Threads.RunAlone(() => Cycle(pool, 50));
        Cycle(pool, 100);

        pool.Dispose();
        pool.Dispose();

        Assert.All(policy.Created, item => Assert.Equal(1, item.Disposals));
        Assert.Equal(0, pool.GetStatistics().Retained);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void Leased_items_are_disposed_when_they_are_returned()
    {
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem());
        var plain = pool.Get();
        var lease = pool.Rent();
        var leased = lease.Value;
        pool.Dispose();
        Assert.Equal(0, plain.Disposals + leased.Disposals);

        pool.Return(plain);
        lease.Dispose();

        Assert.Equal(1, plain.Disposals);
        Assert.Equal(1, leased.Disposals);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void A_rent_after_dispose_throws_and_names_the_pool()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { Name = "orders" });
        pool.Return(pool.Get());
        pool.Dispose();

        Assert.Contains("'orders'", Assert.Throws<ObjectDisposedException>(() => pool.Get()).Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
        Assert.Throws<ObjectDisposedException>(() => pool.Prefill(1));
    }

    [Fact]
    public void Surplus_and_rejected_items_are_disposed()
    {
        var refuses = false;
        var policy = new RecordingPolicy<DisposableItem>(() => new DisposableItem(), _ => !refuses);
        var pool = new TieredObjectPool<DisposableItem>(policy, StatisticsAssert.Retaining(1));
        var (first, second) = (pool.Get(), pool.Get());
        pool.Return(first);
        pool.Return(second);
        Assert.Equal((0, 1), (first.Disposals, second.Disposals));

        refuses = true;
        pool.Return(pool.Get());
        Assert.Equal(1, first.Disposals);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void Asynchronously_disposable_items_are_disposed_too()
    {
        var policy = new RecordingPolicy<AsyncDisposableItem>(() => new AsyncDisposableItem());
        var pool = new TieredObjectPool<AsyncDisposableItem>(policy, StatisticsAssert.Retaining(2));
        var items = Enumerable.Range(0, 5).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);
        pool.Dispose();

        Assert.All(policy.Created, item => Assert.Equal(1, item.Disposals));
    }

    [Fact]
    public void An_item_whose_disposal_throws_does_not_affect_others_and_is_counted()
    {
        var policy = new RecordingPolicy<Thrower>(() => new Thrower());
        var pool = new TieredObjectPool<Thrower>(policy, StatisticsAssert.Retaining(3));
        var items = Enumerable.Range(0, 4).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);

        pool.Dispose();

        Assert.All(policy.Created, item => Assert.Equal(1, item.Disposals));
        Assert.Equal(4, pool.GetStatistics().DestroyFailures);
    }

    /// <summary>Users write such items for the sake of a using statement.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_item_whose_disposal_returns_it_is_destroyed_once(bool isRefused)
    {
        var refuses = false;
        TieredObjectPool<Returning>? pool = null;
        pool = new(() => new Returning(item => pool!.Return(item)), _ => !refuses, StatisticsAssert.Retaining(1));
        var (first, second) = (pool.Get(), pool.Get());
        first.Dispose();
        refuses = isRefused;
        second.Dispose();
        Assert.Equal((1, 2), (first.Disposals, second.Disposals));

        pool.Dispose();

        // By its user and by the pool.
        Assert.Equal((2, 2), (first.Disposals, second.Disposals));
        Assert.Equal(2, pool.GetStatistics().Returned);
        StatisticsAssert.Balanced(pool.GetStatistics());
    }

    [Fact]
    public void A_leased_item_whose_disposal_returns_it_is_destroyed_once()
    {
        TieredObjectPool<Returning>? pool = null;
        pool = new(() => new Returning(item => pool!.Return(item)), null, StatisticsAssert.Retaining(1));
        var lease = pool.Rent();
        var item = lease.Value;
        pool.Dispose();
        lease.Dispose();

        Assert.Equal(1, item.Disposals);
    }

    [Fact]
    public void A_disposal_that_fails_later_is_counted_too()
    {
        var pool = new TieredObjectPool<FailsLater>(() => new FailsLater(), null, StatisticsAssert.Retaining(1));
        var (first, second) = (pool.Get(), pool.Get());
        pool.Return(first);
        pool.Return(second);
        Assert.Equal(0, pool.GetStatistics().DestroyFailures);

        second.Fail();

        Assert.Equal(1, pool.GetStatistics().DestroyFailures);
    }

    [Fact]
    public void Disposing_during_many_rents_and_returns_disposes_each_item_once()
    {
        for (var round = 0; round < 50; round++)
        {
            var policy = new RecordingPolicy<DisposableItem>(() => new DisposableItem());
            var pool = new TieredObjectPool<DisposableItem>(policy, StatisticsAssert.Retaining(8));
            var guarded = round % 2 == 0;
            Threads.Run(4, number =>
            {
                if (number == 0)
                {
                    Thread.SpinWait(round * 200);
                    pool.Dispose();
                    return;
                }

                try
                {
                    for (var step = 0; step < 100_000; step++)
                    {
                        UseOne(pool, guarded);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The end of each worker: the pool was disposed between two of its rents.
                }
            });

            Assert.All(policy.Created, item => Assert.Equal(1, item.Disposals));
            StatisticsAssert.Balanced(pool.GetStatistics());
        }
    }

    private static void UseOne(TieredObjectPool<DisposableItem> pool, bool guarded)
    {
        if (guarded)
        {
            using var lease = pool.Rent();
            Assert.Equal(0, lease.Value.Disposals);
            return;
        }

        var item = pool.Get();
        Assert.Equal(0, item.Disposals);
        pool.Return(item);
    }

    private static void Cycle(TieredObjectPool<DisposableItem> pool, int count)
    {
        var items = Enumerable.Range(0, count).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);
    }

    private sealed class Thrower : IDisposable
    {
        public int Disposals { get; private set; }

        public void Dispose()
        {
            Disposals++;
            throw new InvalidOperationException("cannot be disposed");
        }
    }

    private sealed class Returning(Action<Returning> giveBack) : IDisposable
    {
        public int Disposals { get; private set; }

        public void Dispose()
        {
            // Ends a recursion, which would otherwise end the process.
            Assert.True(++Disposals < 100);
            giveBack(this);
        }
    }

    private sealed class FailsLater : IAsyncDisposable
    {
        private readonly TaskCompletionSource _done = new();

        public void Fail() => _done.SetException(new InvalidOperationException("failed later"));

        public ValueTask DisposeAsync() => new(_done.Task);
    }
}
