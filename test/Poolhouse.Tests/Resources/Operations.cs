
namespace Poolhouse.Tests.Resources;

/// <summary>Resizing, reconfiguring, clearing and suspending.</summary>
public sealed class Operations
{
    [Fact]
    public void Growing_the_pool_serves_waiters_at_once()
    {
        var bench = new Workbench();
        _ = bench.Rent();
        var waiting = bench.RequestAsync();

        bench.Pool.Resize(2);
        bench.Run();

        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public void Shrinking_the_pool_destroys_idle_items_now_and_leased_ones_on_return()
    {
        var bench = new Workbench(4);
        var leases = bench.Rent(4);
        bench.Return(leases[0]);

        bench.Pool.Resize(2);
        bench.Run();
        Assert.Equal((3, 1L), (bench.Now.Live, bench.Now.Surplus));
        bench.Return(leases[1..]);

        Assert.Equal((2, 2, 2L), (bench.Now.Live, bench.Now.Idle, bench.Now.Surplus));
    }

    [Fact]
    public void A_creation_that_has_not_begun_is_withdrawn_when_the_pool_becomes_too_small_for_it()
    {
        var bench = new Workbench(2);
        var creations = new Gate<Part>();
        var lease = bench.Rent();
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = bench.Pool.RentAsync().AsTask();
        Assert.Equal((1, 2), (bench.Now.Creating, bench.Now.Live));

        bench.Pool.Resize(1);
        bench.Run();
        Assert.Equal((0, 1, 0, 1), (creations.Calls, bench.Now.Live, bench.Now.Creating, bench.Now.Waiting));
        Assert.Equal(0L, bench.Now.CreateFailures);
        bench.AssertBalanced();
        bench.Return(lease);

        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public void Of_several_creations_that_have_not_begun_only_those_beyond_the_smaller_size_are_withdrawn()
    {
        var bench = new Workbench(4);
        bench.Options.SlowStart = false;
        bench.Options.MaxConcurrentCreates = 4;
        var waiting = Enumerable.Range(0, 4).Select(_ => bench.Pool.RentAsync().AsTask()).ToList();
        Assert.Equal(4, bench.Now.Creating);

        bench.Pool.Resize(2);
        bench.Run();
        Assert.Equal((2, 2), (bench.Policy.Created.Count, bench.Now.Live));
        Assert.Equal(2, waiting.Count(static each => each.IsCompletedSuccessfully));

        bench.Pool.Resize(3);
        bench.Run();
        Assert.Equal(3, waiting.Count(static each => each.IsCompletedSuccessfully));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1_000_001)]
    public void A_size_out_of_range_changes_nothing(int size)
    {
        var bench = new Workbench(5);
        bench.Options.MinIdle = 2;
        bench.Run();

        Assert.Throws<ArgumentException>(() => bench.Pool.Resize(size));
        Assert.Equal(5, bench.Now.MaxSize);
    }

    [Fact]
    public void Settings_that_cannot_change_are_named_together_and_nothing_changes()
    {
        var bench = new Workbench(5);
        bench.Run();
        var options = new ResourcePoolOptions { MaxSize = 9, Name = "other", IdleOrder = IdleOrder.Fifo };

        var error = Assert.Throws<ArgumentException>(() => bench.Pool.Reconfigure(options));

        foreach (var part in new[] { "Name is \"other\"", "IdleOrder is Fifo; allowed: Lifo", "TimeProvider is" })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }

        Assert.Equal(5, bench.Now.MaxSize);
    }

    [Fact]
    public async Task Changed_options_apply_at_once()
    {
        var bench = new Workbench(2);
        bench.Fill(2);
        bench.Options.IdleTimeout = Workbench.Seconds(5);
        bench.Options.MinIdle = 1;
        bench.Options.MaxWaiters = 0;
        bench.Options.RentTimeout = Workbench.Seconds(2);
        bench.Pool.Reconfigure(bench.Options);
        bench.Advance(6);
        Assert.Equal(1, bench.Now.Idle);

        _ = bench.Rent(2);
        await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RequestAsync());
    }

    [Fact]
    public void A_shorter_lifetime_applies_to_live_items_by_their_age()
    {
        var bench = new Workbench(3);
        bench.Options.LifetimeJitter = 0.1;
        bench.Random.Value = 0.5;
        var leases = bench.Rent(2);
        bench.Advance(50);
        bench.Return(bench.Rent());
        bench.Return(leases[0]);

        bench.Options.MaxLifetime = Workbench.Seconds(40);
        bench.Pool.Reconfigure(bench.Options);
        bench.Run();
        Assert.Equal([(1, DestroyReason.Lifetime)], bench.Policy.Destroyed.Select(each => (each.Part.Number, each.Reason)));
        Assert.Equal((1, 1L), (bench.Now.Idle, bench.Now.Leased));
        bench.Return(leases[1]);
        Assert.Equal((1, 2L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.Lifetime)));

        // 95 % of the lifetime.
        bench.Advance(37.9);
        Assert.Equal(1, bench.Now.Idle);
        bench.Advance(0.2);
        Assert.Equal(3L, bench.Now.DestroyedFor(DestroyReason.Lifetime));
    }

    [Fact]
    public void A_shorter_lifetime_applies_to_an_item_whose_creation_is_just_ending()
    {
        var bench = new Workbench();
        bench.Options.MaxLifetime = Timeout.InfiniteTimeSpan;
        bench.Options.IdleTimeout = Timeout.InfiniteTimeSpan;
        bench.Random.Drawn = () =>
        {
            // Drawn for the lifetime of the new item.
            bench.Random.Drawn = null;
            bench.Options.MaxLifetime = Workbench.Seconds(10);
            bench.Pool.Reconfigure(bench.Options);
        };
        bench.Fill(1);

        bench.Advance(11);

        Assert.Equal(1L, bench.Now.DestroyedFor(DestroyReason.Lifetime));
    }

    [Fact]
    public void A_longer_lifetime_applies_only_to_new_items()
    {
        var bench = new Workbench(2);
        bench.Options.MaxLifetime = Workbench.Seconds(40);
        bench.Fill(1);
        bench.Options.MaxLifetime = Workbench.Seconds(100);
        bench.Pool.Reconfigure(bench.Options);

        bench.Advance(39);
        Assert.Equal(1, bench.Now.Idle);
        bench.Advance(2);

        Assert.Equal(1L, bench.Now.DestroyedFor(DestroyReason.Lifetime));
    }

    [Fact]
    public async Task Tracking_turned_on_later_applies_to_later_leases()
    {
        var bench = new Workbench();
        bench.Fill(1);
        bench.Options.TrackLeases = true;
        bench.Pool.Reconfigure(bench.Options);
        using var held = await bench.RequestAsync();

        var waiting = bench.RequestAsync();
        bench.Advance(30);

        Assert.Contains(
            "holds 1 of them", (await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Shedding_turned_on_later_applies_to_current_waiters()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        bench.Options.Overload = new OverloadOptions();
        bench.Pool.Reconfigure(bench.Options);

        bench.Advance(2);

        await Assert.ThrowsAsync<PoolOverloadedException>(() => waiting);
    }

    [Fact]
    public void A_clear_destroys_idle_items_now_and_leased_ones_on_return()
    {
        var bench = new Workbench(2);
        var leases = bench.Rent(2);
        bench.Return(leases[0]);

        bench.Pool.Clear();
        bench.Run();
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.Cleared));
        Assert.True(leases[1].IsActive);
        bench.Return(leases[1]);
        Assert.Equal(2, bench.Now.DestroyedFor(DestroyReason.Cleared));

        // What is created from now on stays.
        bench.Return(bench.Rent());
        Assert.Equal(1, bench.Now.Idle);
    }

    [Fact]
    public async Task An_item_leased_during_a_clear_is_not_rented_again_on_the_system_clock()
    {
        await using var pool =
            ResourcePool.Create(_ => new ValueTask<object>(new object()), new ResourcePoolOptions { MaxSize = 1 });
        for (var i = 0; i < 100; i++)
        {
            var lease = await pool.RentAsync();
            var old = lease.Value;
            pool.Clear();
            lease.Dispose();
            using var next = await pool.RentAsync();
            Assert.NotSame(old, next.Value);
        }
    }

    [Fact]
    public void A_clear_can_be_spread()
    {
        var bench = new Workbench(2);
        bench.Random.Value = 0.5;
        var first = bench.Rent();
        bench.Return([first, bench.Rent()]);

        bench.Pool.Clear(Workbench.Seconds(60));
        bench.Advance(29);
        Assert.Equal(2, bench.Now.Idle);
        bench.Advance(1.1);

        Assert.Equal((0, 2L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.Cleared)));
    }

    [Fact]
    public void Selected_items_expire_and_the_others_stay()
    {
        var bench = new Workbench(4);
        var leases = bench.Rent(4);
        bench.Return(leases[0], leases[1]);

        bench.Pool.Clear(part => part.Number is 1 or 3);
        bench.Run();
        Assert.Equal([(1, DestroyReason.Cleared)], bench.Policy.Destroyed.Select(each => (each.Part.Number, each.Reason)));
        bench.Return(leases[2], leases[3]);

        Assert.Equal([1, 3], bench.Policy.Destroyed.Select(each => each.Part.Number));
        Assert.Equal(2, bench.Now.Idle);
    }

    [Fact]
    public async Task Selected_items_expire_within_a_time_and_new_ones_stay()
    {
        var bench = new Workbench(3);
        bench.Random.Value = 0.5;
        var leases = bench.Rent(2);
        bench.Return(leases[0]);
        var creation = new Gate<Part>();
        bench.Policy.Creates = creation.WaitAsync;
        var requests = new[] { bench.RequestAsync(), bench.RequestAsync() };

        bench.Pool.Clear(static _ => true, Workbench.Seconds(60));
        creation.Release(bench.Policy.New());
        bench.Run();
        bench.Return(leases[1], await requests[0], await requests[1]);
        bench.Advance(29);
        Assert.Equal(3, bench.Now.Idle);
        bench.Advance(1.1);

        Assert.Equal((1, 2L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.Cleared)));
        Assert.Throws<ArgumentOutOfRangeException>("spread", () => bench.Pool.Clear(static _ => true, TimeSpan.FromDays(2)));
    }

    [Fact]
    public void Selected_items_are_validated_before_their_next_lease()
    {
        var bench = new Workbench(2);
        var validated = new List<int>();
        bench.Policy.Validates = (part, _, _) =>
        {
            validated.Add(part.Number);
            return new ValueTask<bool>(result: true);
        };
        bench.Fill(2);

        bench.Pool.Invalidate(part => part.Number == 2);
        var request = new[] { bench.RequestAsync(), bench.RequestAsync() };
        bench.Run();

        Assert.All(request, each => Assert.True(each.IsCompletedSuccessfully));
        Assert.Equal([2], validated);
    }

    [Fact]
    public void The_selection_runs_outside_the_lock_and_its_exceptions_reach_the_caller()
    {
        var bench = new Workbench(2);
        bench.Fill(2);
        var selected = 0;

        bench.Pool.Clear(_ =>
        {
            Threads.RunAlone(() => bench.Pool.Resize(3));
            selected++;
            return false;
        });
        Assert.Throws<InvalidOperationException>(() => bench.Pool.Invalidate(_ => throw new InvalidOperationException()));
        Assert.Throws<ArgumentNullException>("affects", () => bench.Pool.Clear(null!));

        Assert.Equal((2, 2), (selected, bench.Now.Idle));
    }

    [Fact]
    public void A_fatal_error_is_reported_with_a_lease_of_this_pool_that_has_not_ended()
    {
        var bench = new Workbench(2);
        var other = new Workbench();
        bench.Fill(2);
        var ended = bench.Rent();
        bench.Return(ended);

        bench.Pool.Invalidate(ended);
        bench.Pool.Invalidate(default(Lease<Part>));
        Assert.Throws<ArgumentException>("lease", () => bench.Pool.Invalidate(other.Rent()));
        Assert.Throws<ArgumentOutOfRangeException>("spread", () => bench.Pool.Invalidate(default, TimeSpan.FromDays(2)));
        Assert.Throws<ArgumentOutOfRangeException>("spread", () => bench.Pool.Clear(TimeSpan.FromSeconds(-1)));
        bench.Run();

        Assert.Equal(2, bench.Now.Idle);
    }

    [Fact]
    public void A_fatal_error_during_a_spread_clear_takes_effect_at_its_own_spread()
    {
        var bench = new Workbench(3);
        var leases = bench.Rent(3);
        bench.Return(leases[1..]);
        bench.Pool.Clear(TimeSpan.FromHours(1));
        bench.Advance(1);
        Assert.Equal(2, bench.Now.Idle);

        bench.Pool.Invalidate(leases[0]);
        bench.Run();

        Assert.Equal((0, 2L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.Cleared)));
    }

    [Fact]
    public void A_fatal_error_during_a_spread_clear_spares_items_younger_than_the_clear()
    {
        var bench = new Workbench(2);
        var old = bench.Rent();
        bench.Pool.Clear(TimeSpan.FromHours(1));
        bench.Return(bench.Rent());

        bench.Pool.Invalidate(old);
        bench.Run();

        Assert.Equal(1, bench.Now.Idle);
    }

    [Fact]
    public void Repeated_reports_of_one_fatal_error_keep_its_spread()
    {
        var bench = new Workbench(12);
        var leases = bench.Rent(11);
        bench.Return(bench.Rent());
        bench.Pool.Clear(TimeSpan.FromHours(1));
        foreach (var lease in leases)
        {
            // Each would draw an earlier moment than the one before.
            bench.Pool.Invalidate(lease, Workbench.Seconds(10));
            bench.Random.Value *= 0.8;
        }

        bench.Advance(9);
        Assert.Equal(1, bench.Now.Idle);
        bench.Advance(2);
        Assert.Equal(0, bench.Now.Idle);
    }

    [Fact]
    public async Task A_suspended_pool_rents_nothing_and_serves_in_order_when_it_resumes()
    {
        var bench = new Workbench(2);
        var lease = bench.Rent();
        bench.Fill(1);
        bench.Pool.Suspend();
        var waiting = new[] { bench.RequestAsync(), bench.RequestAsync(), bench.RequestAsync() };
        var hasty = bench.RequestAsync(Workbench.Seconds(1));
        Assert.False(bench.Pool.TryRent(out _));
        bench.Return(lease);
        bench.Advance(1);

        Assert.Equal(RentPhase.Suspended, (await Assert.ThrowsAsync<PoolTimeoutException>(() => hasty)).Phase);
        Assert.Equal((2, 3, true), (bench.Now.Idle, bench.Now.Waiting, bench.Now.Suspended));
        bench.Pool.Resume();
        bench.Run();

        Assert.Equal([true, true, false], waiting.Select(caller => caller.IsCompletedSuccessfully));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_creation_that_fails_while_the_pool_is_suspended_fails_callers_only_if_it_resumes_too_early(
        bool permanent)
    {
        foreach (var resumesLater in new[] { false, true })
        {
            var bench = new Workbench(2);
            var creations = new Gate<Part>();
            bench.Policy.Creates = creations.WaitAsync;
            bench.Policy.IsPermanentHook = _ => permanent;
            bench.Options.OutageTimeout = permanent ? Timeout.InfiniteTimeSpan : TimeSpan.Zero;
            bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(5);
            var early = bench.RequestAsync();
            bench.Pool.Suspend();
            var late = bench.RequestAsync();
            creations.Fail(new IOException());
            bench.Advance(resumesLater ? 6 : 1);
            Assert.Equal((false, false, 2), (early.IsCompleted, late.IsCompleted, bench.Now.Waiting));

            bench.Pool.Resume();
            bench.Run();
            if (resumesLater)
            {
                creations.Release(bench.Policy.New());
                bench.Run();
                Assert.True(early.IsCompletedSuccessfully);
            }
            else
            {
                foreach (var caller in new[] { early, late })
                {
                    var failure = await Assert.ThrowsAnyAsync<Exception>(() => caller);
                    Assert.IsType<IOException>(
                        permanent ? failure : Assert.IsType<PoolUnavailableException>(failure).InnerException);
                }
            }
        }
    }

    [Fact]
    public void Trim_destroys_every_idle_item()
    {
        var bench = new Workbench(3);
        var lease = bench.Rent();
        bench.Fill(2);

        Assert.Equal(2, bench.Pool.Trim());
        bench.Run();

        Assert.Equal((0, 1L, 2L), (bench.Now.Idle, bench.Now.Leased, bench.Now.DestroyedFor(DestroyReason.Trimmed)));
        Assert.True(lease.IsActive);
    }

    [Theory]
    [InlineData(IdleOrder.Lifo, 3)]
    [InlineData(IdleOrder.Fifo, 1)]
    public void The_idle_order_determines_which_item_is_rented_first(IdleOrder order, int number)
    {
        var bench = new Workbench(3);
        bench.Options.IdleOrder = order;
        foreach (var lease in bench.Rent(3))
        {
            bench.Return(lease);
            bench.Clock.Advance(TimeSpan.FromMilliseconds(1));
        }

        Assert.Equal(number, bench.Rent().Value.Number);
    }
}
