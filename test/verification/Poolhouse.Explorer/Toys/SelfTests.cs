using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Toys;

/// <summary>Tests of the explorer: small programs that are known to be correct or wrong.</summary>
public sealed class SelfTests(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_lost_update_is_found_and_its_schedule_replays() => Finds("expected 2", run =>
    {
        var count = 0;
        run.Actor("first", Add);
        run.Actor("second", Add);
        run.AtEnd(() => Require(count == 2, $"expected 2, found {count}"));

        void Add()
        {
            var seen = Volatile.Read(ref count);
            Volatile.Write(ref count, seen + 1);
        }
    });

    [Fact]
    public void A_correct_counter_is_explored_exhaustively() => Explore(run =>
    {
        var count = 0;
        run.Actor("first", () => Interlocked.Increment(ref count));
        run.Actor("second", () => Interlocked.Increment(ref count));
        run.AtEnd(() => Require(count == 2, $"expected 2, found {count}"));
    });

    /// <summary>The classic bug of pools: check, find no item, and only then register as a waiter.</summary>
    [Fact]
    public void A_lost_wake_up_is_found_and_its_schedule_replays() => Finds("A deadlock", run =>
    {
        var item = 0;
        var waits = 0;
        var woken = 0;
        run.Actor("renter", () =>
        {
            if (Interlocked.Exchange(ref item, 0) == 0)
            {
                Volatile.Write(ref waits, 1);
                Actor.Until(() => woken == 1, "the wake-up");
            }
        });
        run.Actor("returner", () =>
        {
            Volatile.Write(ref item, 1);
            if (Volatile.Read(ref waits) == 1)
            {
                Volatile.Write(ref woken, 1);
            }
        });
    });

    [Fact]
    public void A_waiter_that_checks_again_is_never_lost() => Explore(run =>
    {
        var item = 0;
        var waits = 0;
        var woken = 0;
        run.Actor("renter", () =>
        {
            Volatile.Write(ref waits, 1);
            if (Interlocked.Exchange(ref item, 0) == 0)
            {
                Actor.Until(() => woken == 1, "the wake-up");
            }
        });
        run.Actor("returner", () =>
        {
            Volatile.Write(ref item, 1);
            if (Volatile.Read(ref waits) == 1)
            {
                Volatile.Write(ref woken, 1);
            }
        });
    }, preemptions: 4);

    [Fact]
    public void Two_locks_in_two_orders_are_found() => Finds("A deadlock: first waits for lock; second waits for lock", run =>
    {
        var left = new Lock();
        var right = new object();
        run.Actor("first", () =>
        {
            lock (left)
            {
                lock (right)
                {
                    Actor.Step("hold", "both");
                }
            }
        });
        run.Actor("second", () =>
        {
            lock (right)
            {
                lock (left)
                {
                    Actor.Step("hold", "both");
                }
            }
        });
    });

    [Fact]
    public void A_lock_keeps_others_out() => Explore(run =>
    {
        var gate = new Lock();
        var inside = 0;
        for (var i = 0; i < 3; i++)
        {
            run.Actor($"actor {i}", () =>
            {
                lock (gate)
                {
                    Require(++inside == 1, "two are inside");
                    Actor.Step("stay", "inside");
                    inside--;
                }
            });
        }
    }, preemptions: 3);

    [Fact]
    public void A_livelock_is_found() => Finds("A livelock", run =>
    {
        var stop = 0;
        run.Actor("spinner", () =>
        {
            while (Volatile.Read(ref stop) == 0)
            {
                // It is never stopped.
            }
        });
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Spinning_yields_to_other_actors(int spinners) => Explore(run =>
    {
        var stop = 0;
        for (var spinner = 1; spinner <= spinners; spinner++)
        {
            run.Actor($"spinner {spinner}", () =>
            {
                while (Volatile.Read(ref stop) == 0)
                {
                    default(SpinWait).SpinOnce();
                }
            });
        }

        run.Actor("stopper", () =>
        {
            Actor.Step("work", "");
            Volatile.Write(ref stop, 1);
        });
    }, variant: $" {spinners}");

    /// <summary>Two actors of n steps each have exactly C(2n, n) schedules; with a bound, fewer.</summary>
    [Theory]
    [InlineData(1, 9, 2)]
    [InlineData(2, 9, 6)]
    [InlineData(3, 9, 20)]
    [InlineData(4, 9, 70)]
    [InlineData(4, 0, 2)]
    public void Every_schedule_is_run_exactly_once(int steps, int preemptions, int expected)
    {
        var schedules = new HashSet<string>(StringComparer.Ordinal);
        var report = Search.Explore("steps", run =>
        {
            var order = new System.Text.StringBuilder();
            run.Actor("a", () => Walk('a'));
            run.Actor("b", () => Walk('b'));
            run.AtEnd(() => Assert.True(schedules.Add(order.ToString())));

            void Walk(char name)
            {
                // The code before an actor's first step runs when it starts, so the first letter needs no step.
                for (var i = 0; i < steps; i++)
                {
                    order.Append(name);
                    if (i < steps - 1)
                    {
                        Actor.Step("walk", "");
                    }
                }
            }
        }, new Exhaustive(preemptions));

        Assert.Null(report.Failure);
        Assert.Equal(expected, report.Schedules);
        Assert.Equal(expected, schedules.Count);
    }

    [Theory]
    [InlineData("0*3 1 0*12 2*2")]
    [InlineData("")]
    public void A_schedule_round_trips_through_its_text(string text) => Assert.Equal(text, Schedule.Parse(text).ToString());

    /// <summary>Both random strategies must find what the exhaustive one finds.</summary>
    private static void Finds(string message, Action<ScenarioRun> scenario)
    {
        Strategy[] strategies = [new Exhaustive(2), new RandomWalk(1, 1_000), new Priorities(1, 1_000, 2)];
        foreach (var strategy in strategies)
        {
            var failure = Search.Explore("toy", scenario, strategy).Failure;
            Assert.NotNull(failure);
            Assert.StartsWith(message, failure.Message, StringComparison.Ordinal);

            var schedule = failure.Message.Split('\'')[1]["toy: ".Length..];
            var (again, trace) = Search.Repeat(scenario, Schedule.Parse(schedule));
            Assert.Equal(failure.InnerException!.Message, again?.Message);
            Assert.NotEmpty(trace);
        }
    }

    private static void Require(bool holds, string otherwise)
    {
        if (!holds)
        {
            throw new InvalidOperationException(otherwise);
        }
    }
}
