using Poolhouse.Tool.Bench.Rivals;

namespace Poolhouse.Tool.Tests.RivalPools;

/// <summary>A rival that bends the rules would be no rival: each really bounds, really hands over, and loses nothing.</summary>
public sealed class RivalsAreCorrect
{
    private const string Channel = "channel";
    private const string HomeMade = "home-made";

    // A lost wake-up shall fail its test, not hang it.
    private static readonly TimeSpan _tooLong = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task An_item_has_one_owner_and_the_bound_holds(string kind)
    {
        var workshop = new Workshop();
        var pool = Make(kind, 3, workshop);

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(UseOftenAsync))).WaitAsync(_tooLong);

        Assert.InRange(workshop.Created, 1, 3);
        Assert.Equal(8 * 500, workshop.Items.Sum(item => item.Uses));

        async Task UseOftenAsync()
        {
            for (var i = 0; i < 500; i++)
            {
                var item = await pool.RentAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);
                Assert.Equal(1, Interlocked.Increment(ref item.Owners));
                item.Uses++;
                await Task.Yield();
                Assert.Equal(0, Interlocked.Decrement(ref item.Owners));
                pool.Return(item);
            }
        }
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task Waiters_get_returned_items_in_the_order_of_their_arrival(string kind)
    {
        var pool = Make(kind, 1, new Workshop());
        var held = await RentAsync(pool);
        var first = RentAsync(pool);
        var second = RentAsync(pool);

        Assert.False(first.IsCompleted);
        pool.Return(held);
        Assert.Same(held, await first);
        Assert.False(second.IsCompleted);
        pool.Return(held);
        Assert.Same(held, await second);
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task A_waiter_that_gives_up_loses_no_item(string kind)
    {
        var pool = Make(kind, 1, new Workshop());
        var held = await RentAsync(pool);
        using var giveUp = new CancellationTokenSource();
        var cancelled = pool.RentAsync(Timeout.InfiniteTimeSpan, giveUp.Token).AsTask();
        var next = RentAsync(pool);

        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        pool.Return(held);

        Assert.Same(held, await next);
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task A_timed_out_caller_gets_a_TimeoutException(string kind)
    {
        var pool = Make(kind, 1, new Workshop());
        var held = await RentAsync(pool);

        await Assert.ThrowsAsync<TimeoutException>(() => pool.RentAsync(TimeSpan.Zero, CancellationToken.None).AsTask());
        pool.Return(held);

        Assert.Same(held, await RentAsync(pool));
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task A_failed_creation_reaches_its_caller_and_releases_its_capacity(string kind)
    {
        var workshop = new Workshop { Gate = new TaskCompletionSource() };
        var pool = Make(kind, 1, workshop);
        var first = RentAsync(pool);
        var second = RentAsync(pool);
        var gate = workshop.Gate;
        workshop.Gate = null;
        gate.SetException(new InvalidOperationException("as planned"));

        await Assert.ThrowsAsync<InvalidOperationException>(() => first);
        Assert.NotNull(await second);
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task An_unusable_item_is_destroyed_and_replaced_for_a_waiter(string kind)
    {
        var workshop = new Workshop();
        var pool = Make(kind, 1, workshop);
        var held = await RentAsync(pool);
        var waiter = RentAsync(pool);
        held.IsBroken = true;
        pool.Return(held);

        Assert.NotSame(held, await waiter);
        Assert.Equal(1, workshop.Destroyed);
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public async Task An_item_that_broke_while_idle_is_not_rented(string kind)
    {
        var workshop = new Workshop();
        var pool = Make(kind, 2, workshop);
        var item = await RentAsync(pool);
        pool.Return(item);
        item.IsBroken = true;

        Assert.NotSame(item, await RentAsync(pool));
        Assert.Equal(1, workshop.Destroyed);
    }

    [Theory]
    [InlineData(Channel)]
    [InlineData(HomeMade)]
    public void A_synchronous_rent_creates_and_reuses(string kind)
    {
        var pool = Make(kind, 1, new Workshop());
        var item = pool.Rent(Timeout.InfiniteTimeSpan);
        pool.Return(item);

        Assert.Same(item, pool.Rent(Timeout.InfiniteTimeSpan));
        Assert.Throws<TimeoutException>(() => pool.Rent(TimeSpan.Zero));
    }

    [Fact]
    public async Task A_channel_pool_at_rest_reports_its_items()
    {
        var pool = new ChannelPool<Item>(3, new Workshop().Hooks);
        var items = new[] { await RentAsync(pool), await RentAsync(pool) };
        Assert.Equal((2, 0), (pool.Open, pool.Idle));

        items[1].IsBroken = true;
        Array.ForEach(items, pool.Return);

        Assert.Equal((1, 1), (pool.Open, pool.Idle));
    }

    private static Task<Item> RentAsync(IRivalPool<Item> pool) =>
        pool.RentAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).AsTask().WaitAsync(_tooLong);

    private static IRivalPool<Item> Make(string kind, int maxSize, Workshop workshop) => kind == Channel
        ? new ChannelPool<Item>(maxSize, workshop.Hooks)
        : new HomeMadePool<Item>(maxSize, workshop.Hooks);

    private sealed class Item
    {
        public int Owners;

        public int Uses { get; set; }

        public bool IsBroken { get; set; }
    }

    private sealed class Workshop
    {
        private readonly Lock _lock = new();

        public List<Item> Items { get; } = [];

        public int Created => Items.Count;

        public int Destroyed { get; private set; }

        /// <summary>What creations wait for, if anything.</summary>
        public TaskCompletionSource? Gate { get; set; }

        public RivalItems<Item> Hooks => new(CreateAsync, item => !item.IsBroken, _ => Destroyed++);

        private async ValueTask<Item> CreateAsync(CancellationToken cancellation)
        {
            if (Gate is { } gate)
            {
                await gate.Task.WaitAsync(cancellation);
            }

            lock (_lock)
            {
                var item = new Item();
                Items.Add(item);
                return item;
            }
        }
    }
}
