using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Toys;

/// <summary>The explorer explored: small programs of which it is known whether they are right.</summary>
public sealed class SelfTests(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_lost_update_is_found_and_its_schedule_replays() => Finds("expected 2", play =>
    {
        var count = 0;
        play.Actor("first", Add);
        play.Actor("second", Add);
        play.AtEnd(() => Require(count == 2, $"expected 2, found {count}"));

        void Add()
        {
            var seen = Volatile.Read(ref count);
            Volatile.Write(ref count, seen + 1);
        }
    });

    [Fact]
    public void A_correct_counter_is_explored_exhaustively() => Explore(play =>
    {
        var count = 0;
        play.Actor("first", () => Interlocked.Increment(ref count));
        play.Actor("second", () => Interlocked.Increment(ref count));
        play.AtEnd(() => Require(count == 2, $"expected 2, found {count}"));
    });

    /// <summary>The classic of every pool: look, find nothing, and only then say that one waits.</summary>
    [Fact]
    public void A_lost_wake_up_is_found_and_its_schedule_replays() => Finds("A deadlock", play =>
    {
        var item = 0;
        var waits = 0;
        var woken = 0;
        play.Actor("renter", () =>
        {
            if (Interlocked.Exchange(ref item, 0) == 0)
            {
                Volatile.Write(ref waits, 1);
                Actor.Until(() => woken == 1, "the wake-up");
            }
        });
        play.Actor("returner", () =>
        {
            Volatile.Write(ref item, 1);
            if (Volatile.Read(ref waits) == 1)
            {
                Volatile.Write(ref woken, 1);
            }
        });
    });

    [Fact]
    public void A_waiter_that_checks_again_is_never_lost() => Explore(play =>
    {
        var item = 0;
        var waits = 0;
        var woken = 0;
        play.Actor("renter", () =>
        {
            Volatile.Write(ref waits, 1);
            if (Interlocked.Exchange(ref item, 0) == 0)
            {
                Actor.Until(() => woken == 1, "the wake-up");
            }
        });
        play.Actor("returner", () =>
        {
            Volatile.Write(ref item, 1);
            if (Volatile.Read(ref waits) == 1)
            {
                Volatile.Write(ref woken, 1);
            }
        });
    }, preemptions: 4);

    [Fact]
    public void Two_locks_in_two_orders_are_found() => Finds("A deadlock: first waits for lock; second waits for lock", play =>
    {
        var left = new Lock();
        var right = new object();
        play.Actor("first", () =>
        {
            lock (left)
            {
                lock (right)
                {
                    Actor.Step("hold", "both");
                }
            }
        });
        play.Actor("second", () =>
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
    public void A_lock_keeps_others_out() => Explore(play =>
    {
        var gate = new Lock();
        var inside = 0;
        for (var i = 0; i < 3; i++)
        {
            play.Actor($"actor {i}", () =>
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
    public void A_livelock_is_found() => Finds("A livelock", play =>
    {
        var stop = 0;
        play.Actor("spinner", () =>
        {
            while (Volatile.Read(ref stop) == 0)
            {
                // It is never stopped.
            }
        });
    });

    [Fact]
    public void Spinning_yields_to_other_actors() => Explore(play =>
    {
        var stop = 0;
        play.Actor("spinner", () =>
        {
            while (Volatile.Read(ref stop) == 0)
            {
                default(SpinWait).SpinOnce();
            }
        });
        play.Actor("stopper", () => Volatile.Write(ref stop, 1));
    });

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
        var report = Search.Explore("steps", play =>
        {
            var order = new System.Text.StringBuilder();
            play.Actor("a", () => Walk('a'));
            play.Actor("b", () => Walk('b'));
            play.AtEnd(() => Assert.True(schedules.Add(order.ToString())));

            void Walk(char name)
            {
                // What is done before an actor's first step is done when it comes on, so the first letter needs no step.
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
    private static void Finds(string message, Action<Play> scenario)
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
