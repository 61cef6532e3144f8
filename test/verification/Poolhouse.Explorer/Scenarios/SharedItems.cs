using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine.Waiting;
using Poolhouse.Resources.Shared;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A shared item is released once, by its last user.</summary>
public sealed class SharedItems(ITestOutputHelper output) : Exploration(output)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_last_use_and_the_deactivation_end_the_lease_once(bool broken) => Explore(run =>
    {
        var (bench, lease, member) = Begin(run);
        Assert.True(member.TryEnter(maxUses: 3) && member.TryEnter(maxUses: 3));
        run.Actor("user 1", () => member.Leave(now: 1));
        run.Actor("user 2", () => member.Leave(now: 1));
        run.Actor("deactivator", () => member.Deactivate(broken ? DestroyReason.Broken : null));
        run.Actor("late user", () => EnterAndLeave(member, lease));
        run.AtEnd(() => AssertGivenUp(bench, lease, member));
    }, variant: broken ? " (broken)" : "");

    [Fact]
    public void Two_threads_that_deactivate_an_unused_item_end_its_lease_once() => Explore(run =>
    {
        var (bench, lease, member) = Begin(run);
        run.Actor("deactivator 1", () => member.Deactivate(DestroyReason.Broken));
        run.Actor("deactivator 2", () => member.Deactivate(reason: null));
        run.Actor("late user", () => EnterAndLeave(member, lease));
        run.AtEnd(() => AssertGivenUp(bench, lease, member));
    });

    [Fact]
    public void A_probe_holds_the_item_and_a_concurrent_failure_causes_another_probe() => Explore(run =>
    {
        var (bench, lease, member) = Begin(run);
        var suspects = 0;
        var probes = 0;
        for (var number = 1; number <= 2; number++)
        {
            run.Actor($"suspect {number}", () =>
            {
                if (!member.IsInactive)
                {
                    suspects++;
                }

                var probing = member.TryBeginProbe(suspected: true);
                while (probing)
                {
                    probes++;
                    Part.Require(lease.IsActive, "The item was released during its probe.");
                    probing = member.EndProbe();
                }
            });
        }

        run.Actor("deactivator", () => member.Deactivate(reason: null));
        run.AtEnd(() =>
        {
            AssertGivenUp(bench, lease, member);
            Part.Require(probes <= suspects, "There were more probes than reasons.");
        });
    });

    [Fact]
    public void The_number_of_uses_never_exceeds_its_limit() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var member = new SharedItem<Part>(lease, now: 0);
        var uses = 0;
        for (var number = 1; number <= 3; number++)
        {
            run.Actor($"user {number}", () =>
            {
                if (member.TryEnter(maxUses: 2))
                {
                    Part.Require(Interlocked.Increment(ref uses) <= 2, "More uses than allowed.");
                    Interlocked.Decrement(ref uses);
                    member.Leave(now: 1);
                }
            });
        }

        run.AtEnd(() => bench.Return(lease));
        run.AtEnd(() => Assert.True(lease.IsActive && member.Uses == 0));
    });

    [Fact]
    public void A_full_item_has_room_again_when_a_use_has_ended() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run, maxSize: 1, maxUses: 3);
        for (var number = 1; number <= 2; number++)
        {
            // As a nested pool does after a parent has refused a child.
            run.Actor($"refused {number}", () =>
            {
                var endsBefore = member.Ends;
                Actor.Step("create", "child");
                if (!member.TryLeaveAsFull(now: 1))
                {
                    items.Room.EndUse(member);
                }
                else if (member.Ends != endsBefore && member.ClearFull())
                {
                    items.Room.Offer();
                }
            });
        }

        run.Actor("user", () =>
        {
            member.CountEnd();
            items.Room.EndUse(member);
        });
        run.Actor("waiting", () =>
        {
            Part.Require(TryEnter(items) == member, "The caller was not served.");
            items.Room.EndUse(member);
        });
        run.AtEnd(() =>
        {
            Part.Require(member.Uses == 0 && member.TryEnter(maxUses: 1), "The item is not used, and takes no use.");
            items.Room.EndUse(member);
            DisposeAfterwards(bench, items);
        });
    }, preemptions: 2, random: 2_000);

    [Fact]
    public void A_full_item_that_is_deactivated_ends_its_lease_once() => Explore(run =>
    {
        var (bench, lease, member) = Begin(run);
        Assert.True(member.TryEnter(maxUses: 2) && member.TryEnter(maxUses: 2));
        run.Actor("user", () => member.Leave(now: 1));
        run.Actor("refused", () =>
        {
            if (!member.TryLeaveAsFull(now: 1))
            {
                member.Leave(now: 1);
            }

            member.ClearFull();
        });
        run.Actor("deactivator", () => member.Deactivate(reason: null));
        run.AtEnd(() => AssertGivenUp(bench, lease, member));
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_disposal_waits_for_an_item_that_probes_hold(int suspicions) => Explore(run =>
    {
        var (bench, items, member) = BeginProbed(run);
        run.Actor("user", () =>
        {
            for (var number = 0; number < suspicions; number++)
            {
                items.Probe(member, suspected: true);
            }
        });
        run.Actor("operator", () => Dispose(bench, items));
    }, preemptions: 2, random: 1_000, variant: $" ({suspicions})");

    [Fact]
    public void A_disposal_does_not_wait_for_a_probe_that_cannot_be_started() => Explore(run =>
    {
        var (bench, items, member) = BeginProbed(run);
        bench.Horizon = TimeSpan.FromMinutes(1);
        run.Actor("user", () =>
        {
            bench.LackMemory(1);
            items.Probe(member, suspected: true);
        });
        run.Actor("operator", () => Dispose(bench, items));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_probe_that_was_abandoned_before_it_began_is_not_called() => Explore(run =>
    {
        var (bench, items, member) = BeginProbed(run);
        bench.Horizon = TimeSpan.FromDays(1);
        run.Actor("user", () => items.Probe(member, suspected: true));
        run.Actor("clock", () =>
        {
            Actor.Step("jump", "clock");
            bench.Jump(TimeSpan.FromHours(1));
        });
        run.Actor("operator", () => DisposeAtJump(bench, items));
    }, preemptions: 0, random: 2_000);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void The_last_use_ends_while_callers_enter_the_queue(int callers) => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run, maxSize: 1);
        run.Actor("user", () => items.Room.EndUse(member));
        for (var number = 1; number <= callers; number++)
        {
            run.Actor($"caller {number}", () =>
            {
                Part.Require(TryEnter(items) == member, "The caller was not served.");
                Part.Require(member.Uses == 1, "The item has more uses than allowed.");
                items.Room.EndUse(member);
            });
        }

        run.AtEnd(() =>
        {
            Part.Require(items.Room.IsUncontested, "The queue is empty, and rents still avoid the items.");
            DisposeAfterwards(bench, items);
        });
    }, preemptions: 2, random: 2_000, variant: $" ({callers})");

    [Fact]
    public void Uses_that_are_handed_over_never_exceed_the_limit() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run, maxSize: 1, maxUses: 2);
        var uses = 2;
        for (var number = 1; number <= 2; number++)
        {
            run.Actor($"user {number}", () =>
            {
                uses--;
                items.Room.EndUse(member);
            });
        }

        for (var number = 1; number <= 3; number++)
        {
            run.Actor($"caller {number}", () =>
            {
                Part.Require(TryEnter(items) == member, "The caller was not served.");
                uses++;
                Part.Require(uses <= 2, "More uses than allowed.");
                Actor.Step("use", "item");
                uses--;
                items.Room.EndUse(member);
            });
        }

        run.AtEnd(() =>
        {
            Part.Require(member.Uses == 0, "A use was not ended.");
            DisposeAfterwards(bench, items);
        });
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void A_resumed_pool_serves_a_caller_that_entered_the_queue_meanwhile() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run, maxSize: 1);
        items.Room.Suspend();
        var left = 0;
        run.Actor("user", () =>
        {
            items.Room.EndUse(member);
            left++;
        });
        run.Actor("operator", () =>
        {
            items.Room.Resume();
            Actor.Until(() => left == 2, "all to leave");
            Dispose(bench, items);
        });
        run.Actor("caller", () =>
        {
            Part.Require(TryEnter(items) == member, "The caller was not served.");
            items.Room.EndUse(member);
            left++;
        });
    }, preemptions: 2, random: 2_000);

    [Fact]
    public void A_caller_gets_the_room_of_an_item_while_another_is_created() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run);
        bench.Policy.CreationEnds = TimeSpan.FromSeconds(1);
        run.Actor("user", () => items.Room.EndUse(member));
        run.Actor("caller", () =>
        {
            Part.Require(TryEnter(items) == member, "The caller was not served.");
            items.Room.EndUse(member);
            EndCreationAndDispose(bench, items);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Callers_get_the_room_of_an_item_in_the_order_of_their_arrival() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run);
        bench.Policy.CreationEnds = TimeSpan.FromSeconds(1);
        var isFirstServed = false;
        run.Actor("user", () => items.Room.EndUse(member));
        run.Actor("first", () =>
        {
            Part.Require(TryEnter(items) == member, "The first caller was not served.");
            isFirstServed = true;
            items.Room.EndUse(member);
        });
        run.Actor("second", () =>
        {
            Actor.Until(() => items.Room.CallersWait || isFirstServed, "the first caller");
            Part.Require(TryEnter(items) == member, "The second caller was not served.");
            Part.Require(isFirstServed, "The second caller was served before the first.");
            items.Room.EndUse(member);
            EndCreationAndDispose(bench, items);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_cancelled_caller_keeps_no_room_and_the_next_one_gets_it() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run, maxSize: 1);
        run.Actor("user", () => items.Room.EndUse(member));
        run.Actor("cancelled caller", () =>
        {
            var caller = new RoomCaller();
            Assert.Equal(WaitOutcome.None, items.Room.Enter(caller, now: 1));
            if (caller.TryComplete(WaitOutcome.Cancelled))
            {
                items.Room.Withdraw(caller, now: 1, wakes: false);
            }
            else
            {
                items.Room.EndUse(items.Room.GrantOf(caller));
            }
        });
        run.Actor("caller", () =>
        {
            Part.Require(TryEnter(items) == member, "The caller was not served.");
            items.Room.EndUse(member);
        });
        run.AtEnd(() =>
        {
            Part.Require(member.Uses == 0, "The cancelled caller has kept the room.");
            DisposeAfterwards(bench, items);
        });
    }, preemptions: 2, random: 2_000);

    [Fact]
    public void An_item_that_is_deactivated_while_another_is_created_does_not_lead_to_more_than_the_minimum() => Explore(run =>
    {
        var bench = new PoolBench(run, configure: static options => options.MaxSize = 2);
        var (items, member) = Begin(bench, maxSize: 2, maxUses: 1);
        var options = NewOptions(maxSize: 2, maxUses: 1);
        options.Pool.MinIdle = 1;
        items.Reconfigure(options);
        items.StartGrowing();
        run.Actor("deactivator", () =>
        {
            items.Deactivate(member, DestroyReason.Broken);
            var atRest = items.WhenQuiescentAsync();
            Actor.Until(() => atRest.IsCompleted, "the creation to end");
            Part.Require(items.Items.Length == 1, "There are more items than the minimum, or fewer.");
            Dispose(bench, items);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void An_item_that_fills_up_before_its_creation_has_ended_leads_to_another_one() => Explore(run =>
    {
        var bench = new PoolBench(run, configure: static options => options.MaxSize = 3);
        var (items, _) = Begin(bench, maxSize: 3, maxUses: 1);
        items.StartGrowing();
        run.Actor("user", () =>
        {
            Actor.Until(() => items.Items.Length == 2, "the second item");
            var (first, second) = (TryEnter(items)!, TryEnter(items)!);
            Actor.Until(() => items.Items.Length == 3, "the third item");
            items.Room.EndUse(first);
            items.Room.EndUse(second);
            Dispose(bench, items);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void An_item_that_fills_up_and_leaves_before_its_creation_has_ended_leads_to_no_other_one() => Explore(run =>
    {
        var bench = new PoolBench(run, configure: static options => options.MaxSize = 2);
        var (items, first) = Begin(bench, maxSize: 2, maxUses: 1);
        items.StartGrowing();
        run.Actor("user", () =>
        {
            Actor.Until(() => items.Items.Length == 2, "the second item");
            var (member, other) = (TryEnter(items)!, TryEnter(items)!);
            items.Deactivate(member == first ? other : member, DestroyReason.Broken);
            items.Room.EndUse(member);
            items.Room.EndUse(other);
            bench.Jump(TimeSpan.FromSeconds(1));
            Dispose(bench, items);
            Part.Require(bench.Policy.Created == 2, "An item was created that nobody needs.");
        });
    }, preemptions: 1, random: 1_000);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Callers_that_arrive_while_an_item_becomes_active_lead_to_no_other_one(int callers) => Explore(run =>
    {
        var bench = new PoolBench(run, configure: static options => options.MaxSize = 3);
        var (items, full) = Begin(bench, maxSize: 3, maxUses: 8);
        Assert.True(Enumerable.Range(0, 8).All(_ => full.TryEnter(maxUses: 8)));
        var options = NewOptions(maxSize: 3, maxUses: 8);

        // Otherwise items are created ahead of demand, also because of room that is reserved for a moment and then not needed.
        options.GrowAtLoad = 1;
        items.Reconfigure(options);
        items.StartGrowing();
        var served = new List<SharedItem<Part>>();
        for (var caller = 1; caller <= callers; caller++)
        {
            run.Actor($"caller {caller}", () =>
            {
                served.Add(TryEnter(items)!);
                if (served.Count == callers)
                {
                    served.ForEach(items.Room.EndUse);
                    for (var use = 0; use < 8; use++)
                    {
                        items.Room.EndUse(full);
                    }

                    Dispose(bench, items);
                    Part.Require(bench.Policy.Created == 2, "An item was created that nobody needs.");
                }
            });
        }
    }, preemptions: 1, random: 500);

    [Fact]
    public void A_caller_gets_the_room_of_a_larger_limit() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run);
        bench.Policy.CreationEnds = TimeSpan.FromSeconds(1);
        var isChanged = false;
        run.Actor("operator", () =>
        {
            items.Reconfigure(NewOptions(maxSize: 2, maxUses: 2));
            items.EndChange();
            isChanged = true;
        });
        run.Actor("caller", () =>
        {
            Part.Require(TryEnter(items) == member, "The caller was not served.");
            items.Room.EndUse(member);
            items.Room.EndUse(member);
            Actor.Until(() => isChanged, "the change to end");
            EndCreationAndDispose(bench, items);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void The_failure_of_a_creation_reaches_all_callers_although_an_item_is_full() => Explore(run =>
    {
        var (bench, items, member) = BeginFull(run);
        bench.Policy.FailingCreations = 1;
        var failed = 0;
        for (var number = 1; number <= 2; number++)
        {
            run.Actor($"caller {number}", () =>
            {
                Part.Require(TryEnter(items) is null, "A caller was served by a full item.");
                failed++;
            });
        }

        run.Actor("user", () =>
        {
            Actor.Until(() => failed == 2, "the failure of both callers");
            items.Room.EndUse(member);
            Dispose(bench, items);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_fatal_error_of_a_lease_that_ends_does_not_deactivate_the_item_of_the_next_lease() => Explore(run =>
    {
        var (pool, lease) = RentOlderOfTwo(run);
        var younger = pool.ItemSet.Items[1];
        var next = default(Lease<Part>);
        run.Actor("fatal error", () => pool.Invalidate(lease));
        run.Actor("user", () => next = EndAndRentOther(pool, lease));
        run.AtEnd(() =>
        {
            next.Dispose();
            Part.Require(
                pool.ItemSet.Items.Contains(younger) && !younger.IsInactive, "The item of the next lease was deactivated.");
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void The_information_of_a_lease_is_not_that_of_the_next_lease() => Explore(run =>
    {
        var (pool, lease) = RentOlderOfTwo(run);
        var number = lease.Info.ItemNumber;
        var next = default(Lease<Part>);
        run.Actor("reader", () =>
        {
            try
            {
                Part.Require(lease.Info.ItemNumber == number, "A lease had the information of another item.");
            }
            catch (ObjectDisposedException)
            {
                // The lease has ended.
            }
        });
        run.Actor("user", () => next = EndAndRentOther(pool, lease));
        run.AtEnd(() => next.Dispose());
    }, preemptions: 1, random: 1_000);

    /// <summary>Rents the older of two items, which are of different generations.</summary>
    private static (SharedResourcePool<Part> Pool, Lease<Part> Lease) RentOlderOfTwo(ScenarioRun run)
    {
        var clock = new ExplorerClock();
        var scheduler = new ExplorerScheduler(run);
        var options = NewOptions(maxSize: 2, maxUses: 1);
        options.Selection = SelectionStrategy.RoundRobin;
        options.Pool.Name = "bench";
        options.Pool.IdleTimeout = options.Pool.MaxLifetime = Timeout.InfiniteTimeSpan;
        options.Pool.TimeProvider = clock;
        options.Pool.Scheduler = scheduler;
        options.Pool.Random = new Random(1);
        var pool = new SharedResourcePool<Part>(new PartPolicy(clock), options);
        Assert.True(pool.WarmUpAsync(1, CancellationToken.None).IsCompletedSuccessfully);
        pool.Clear(TimeSpan.FromDays(1));
        Assert.True(pool.WarmUpAsync(2, CancellationToken.None).IsCompletedSuccessfully);
        Assert.Equal([0, 1], pool.ItemSet.Items.Select(member => member.Generation));
        Assert.True(pool.TryRent(out var first));
        first.Dispose();
        Assert.True(pool.TryRent(out var lease));
        Assert.Same(pool.ItemSet.Items[0].Value, lease.Value);
        scheduler.IsSettingUp = false;
        return (pool, lease);
    }

    /// <summary>Ends a lease, and begins one of the other item in the same slot.</summary>
    private static Lease<Part> EndAndRentOther(SharedResourcePool<Part> pool, Lease<Part> lease)
    {
        lease.Dispose();
        Part.Require(pool.TryRent(out var next), "The other item was not rented.");
        Part.Require(next.Slot == lease.Slot, "The other item was rented in another slot.");
        return next;
    }

    /// <summary>An item with all of its uses, in a pool whose creations fail fast.</summary>
    private static (PoolBench Bench, SharedItemSet<Part> Items, SharedItem<Part> Member) BeginFull(
        ScenarioRun run, int maxSize = 2, int maxUses = 1)
    {
        var bench = new PoolBench(run, configure: options =>
            (options.MaxSize, options.OutageTimeout) = (maxSize, TimeSpan.Zero));
        var (items, member) = Begin(bench, maxSize, maxUses);
        for (var use = 1; use <= maxUses; use++)
        {
            Assert.True(member.TryEnter(maxUses));
        }

        return (bench, items, member);
    }

    /// <summary>Takes room in an item, or waits for it like a caller of the pool.</summary>
    /// <returns>The item; null if the creation of another one has failed.</returns>
    private static SharedItem<Part>? TryEnter(SharedItemSet<Part> items)
    {
        if (items.Room.IsUncontested && items.TryEnter(out var member))
        {
            return member;
        }

        var caller = new RoomCaller();
        Assert.Equal(WaitOutcome.None, items.Room.Enter(caller, now: 1));
        Actor.Until(() => caller.Wakes > 0, "room");
        return caller.Outcome == WaitOutcome.Served ? caller.Grant : null;
    }

    private static (PoolBench Bench, SharedItemSet<Part> Items, SharedItem<Part> Member) BeginProbed(ScenarioRun run)
    {
        var bench = new PoolBench(run, keepsAlive: true);
        var (items, member) = Begin(bench, maxSize: 1, maxUses: 3);
        return (bench, items, member);
    }

    private static (SharedItemSet<Part> Items, SharedItem<Part> Member) Begin(PoolBench bench, int maxSize, int maxUses)
    {
        var options = NewOptions(maxSize, maxUses);
        var queue = new CallerQueue<SharedItem<Part>>(delays: null, clockLag: 0);
        var items = new SharedItemSet<Part>("bench", bench.Pool, bench.Policy, options, queue, deactivated: null);
        items.StartGrowing();
        Assert.Single(items.Items);
        bench.Begin();
        return (items, items.Items[0]);
    }

    /// <summary>Ends the creation of the second item, which lasts for a second.</summary>
    private static void EndCreationAndDispose(PoolBench bench, SharedItemSet<Part> items)
    {
        bench.Jump(TimeSpan.FromSeconds(1));
        Actor.Until(() => items.Items.Length == 2, "the other item");
        Dispose(bench, items);
    }

    private static SharedResourcePoolOptions NewOptions(int maxSize, int maxUses) => new()
    {
        Pool = new ResourcePoolOptions { MaxSize = maxSize },
        MaxUsesPerItem = maxUses,
    };

    private static void Dispose(PoolBench bench, SharedItemSet<Part> items)
    {
        DisposeAtJump(bench, items);
        Part.Require(bench.Policy.Alive == 0, "A disposal ended while a part was alive.");
    }

    /// <summary>Disposes of the items once all actors have ended, which adds no schedules.</summary>
    private static void DisposeAfterwards(PoolBench bench, SharedItemSet<Part> items)
    {
        bench.StopScheduling();
        Dispose(bench, items);
    }

    /// <summary>The clock may have jumped past the time that the destruction of a part may take.</summary>
    private static void DisposeAtJump(PoolBench bench, SharedItemSet<Part> items)
    {
        items.Dispose();
        var atRest = items.WhenQuiescentAsync();
        Actor.Until(() => atRest.IsCompleted, "the items to be at rest");
        bench.DisposePool();
    }

    private static (CoreBench Bench, Lease<Part> Lease, SharedItem<Part> Member) Begin(ScenarioRun run)
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        bench.Release(lease);
        return (bench, lease, new SharedItem<Part>(lease, now: 0));
    }

    private static void EnterAndLeave(SharedItem<Part> member, Lease<Part> lease)
    {
        if (member.TryEnter(maxUses: 3))
        {
            Part.Require(lease.IsActive, "The item was released although it is used.");
            member.Leave(now: 1);
        }
    }

    private static void AssertGivenUp(CoreBench bench, Lease<Part> lease, SharedItem<Part> member)
    {
        Assert.False(lease.IsActive);
        Assert.True(member.IsInactive);
        Assert.Equal((0, 0), (member.Uses, bench.DoubleReturns));
    }
}
