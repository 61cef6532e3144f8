using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Leases of an object pool that several threads use (I1, I9, I12).</summary>
// Each thread has used the pool before, so that its stack has a free slot.
public sealed class CachedLeases(ITestOutputHelper output) : Exploration(output)
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_lease_ended_by_its_thread_and_by_others_ends_once(int others) => Explore(run =>
    {
        var pool = NewPool();
        var lease = default(Lease<Part>);
        var begins = false;
        run.Actor("owner", () =>
        {
            lease = RentAgain(pool);
            begins = true;
            lease.Dispose();
            UseOne(pool);
        });
        for (var other = 1; other <= others; other++)
        {
            run.Actor($"other {other}", () =>
            {
                UseOne(pool);
                Actor.Until(() => begins, "a lease");
                lease.Dispose();
                UseOne(pool);
            });
        }

        run.AtEnd(() => AssertQuiescent(pool, doubleReturns: others));
    }, preemptions: 3 - others, random: 1_000, variant: $" {others}");

    [Fact]
    public void A_late_end_does_not_end_the_next_lease() => Explore(run =>
    {
        var pool = NewPool();
        var lease = default(Lease<Part>);
        run.Actor("owner", () =>
        {
            lease = RentAgain(pool);
            lease.Dispose();
            using var next = pool.Rent();
            next.Value.Hold();
            Actor.Step("use", "part");
            Part.Require(next.IsActive, "A lease was ended by another one.");
            next.Value.Release();
        });
        run.Actor("late", () =>
        {
            UseOne(pool);
            Actor.Until(() => lease != default && !lease.IsActive, "the end of a lease");
            lease.Dispose();
            UseOne(pool);
        });
        run.AtEnd(() => AssertQuiescent(pool, doubleReturns: 1));
    }, preemptions: 2, random: 1_000);

    [Fact]
    public void Two_leases_that_end_on_the_thread_of_the_other_one_end_once() => Explore(run =>
    {
        var pool = NewPool();
        var leases = new Lease<Part>[2];
        for (var actor = 0; actor < 2; actor++)
        {
            var mine = actor;
            run.Actor($"user {actor}", () =>
            {
                leases[mine] = RentAgain(pool);
                Actor.Until(() => leases[1 - mine] != default, "the other lease");
                leases[1 - mine].Dispose();
                leases[mine].Dispose();
                UseOne(pool);
            });
        }

        run.AtEnd(() => AssertQuiescent(pool, doubleReturns: 2));
    }, preemptions: 2, random: 1_000);

    [Fact]
    public void A_discard_and_a_return_compete() => Explore(run =>
    {
        var pool = NewPool();
        var lease = default(Lease<Part>);
        run.Actor("owner", () =>
        {
            lease = RentAgain(pool);
            lease.Dispose();
            UseOne(pool);
        });
        run.Actor("leaver", () =>
        {
            UseOne(pool);
            Actor.Until(() => lease != default, "a lease");
            lease.Discard();
        });
        run.AtEnd(() => AssertQuiescent(pool, doubleReturns: 1));
    }, preemptions: 2, random: 1_000);

    [Fact]
    public void A_taint_on_another_thread_that_finds_the_lease_active_afterwards_has_an_effect() => Explore(run =>
    {
        var pool = NewPool();
        var lease = default(Lease<Part>);
        var isTainted = false;
        run.Actor("owner", () =>
        {
            lease = RentAgain(pool);
            lease.Dispose();
        });
        run.Actor("other", () =>
        {
            Actor.Until(() => lease != default, "a lease");
            lease.Taint();
            isTainted = lease.IsActive;
        });
        run.AtEnd(() =>
        {
            Assert.True(!isTainted || pool.GetStatistics().Destroyed == 1, "A tainted item was kept.");
            AssertQuiescent(pool, doubleReturns: 0);
        });
    }, preemptions: 2, random: 300);

    [Fact]
    public void A_lease_ends_while_the_items_of_its_thread_are_gathered() => Explore(run =>
    {
        var pool = NewPool();
        var lease = default(Lease<Part>);
        run.Actor("owner", () =>
        {
            lease = RentAgain(pool);
            lease.Dispose();
        });
        run.Actor("other", () =>
        {
            Actor.Until(() => lease != default, "a lease");
            lease.Dispose();
        });
        run.Actor("operator", () => pool.Trim());
        run.AtEnd(() => AssertQuiescent(pool, doubleReturns: 1));
    }, preemptions: 1, random: 1_000);

    private static TieredObjectPool<Part> NewPool() => new(
        static () => new Part(),
        options: new ObjectPoolOptions
        {
            MaxRetained = 4,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MemoryPressure = new MemoryPressureSource(),
            TimeProvider = new ExplorerClock(),
        });

    /// <summary>The second rent of the thread: its stack has a free slot for the return.</summary>
    private static Lease<Part> RentAgain(TieredObjectPool<Part> pool)
    {
        UseOne(pool);
        return pool.Rent();
    }

    private static void UseOne(TieredObjectPool<Part> pool)
    {
        using var lease = pool.Rent();
        lease.Value.Hold();
        Actor.Step("use", "part");
        lease.Value.Release();
    }

    private static void AssertQuiescent(TieredObjectPool<Part> pool, int doubleReturns)
    {
        var statistics = pool.GetStatistics();
        Assert.Equal((doubleReturns, 0), (statistics.DoubleReturns, statistics.Leased));
        Assert.Equal(statistics.Created, statistics.Retained + statistics.Destroyed);
    }
}
