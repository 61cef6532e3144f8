using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>An offer, a cancellation and a timeout compete for one caller (I6), and the queue stays in order (I4).</summary>
public sealed class Outcomes(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Fact]
    public void An_offer_a_cancellation_and_a_timeout_compete() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller(_second);
        play.Actor("renter", () => ReturnIfGiven(bench, bench.Rent(caller)));
        play.Actor("canceller", caller.Cancel);
        play.Actor("returner", () => bench.Return(lease));
        play.Actor("alarm", () =>
        {
            bench.Now = _second.Ticks;
            bench.Look();
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_cancelled_caller_hands_its_item_to_the_next() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        play.Actor("first", () => ReturnIfGiven(bench, bench.Rent(caller)));
        play.Actor("canceller", caller.Cancel);
        play.Actor("next", bench.RentAndReturn);
        play.Actor("returner", () => bench.Return(lease));
        play.AtEnd(() => Assert.Equal(0, bench.Statistics.Leased));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_caller_that_times_out_hands_its_item_to_the_next() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        play.Actor("first", () => ReturnIfGiven(bench, bench.Rent(bench.NewCaller(_second))));
        play.Actor("next", bench.RentAndReturn);
        play.Actor("returner", () => bench.Return(lease));
        play.Actor("alarm", () =>
        {
            bench.Now = _second.Ticks;
            bench.Look();
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Two_returns_serve_two_callers_in_order() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 2, primed: 2);
        var (one, two) = (bench.Rent()!.Value, bench.Rent()!.Value);
        play.Actor("renter 1", bench.RentAndReturn);
        play.Actor("renter 2", bench.RentAndReturn);
        play.Actor("returner 1", () => bench.Return(one));
        play.Actor("returner 2", () => bench.Return(two));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Three_callers_and_a_cancellation_leave_in_order() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1, cells: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        play.Actor("renter 1", bench.RentAndReturn);
        play.Actor("renter 2", () => ReturnIfGiven(bench, bench.Rent(caller)));
        play.Actor("renter 3", bench.RentAndReturn);
        play.Actor("canceller", caller.Cancel);
        play.Actor("returner", () => bench.Return(lease));
    }, preemptions: 0, random: 2_500);

    [Fact]
    public void A_caller_that_may_not_wait_fails_at_once() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1, configure: options => options.MaxWaiters = 1);
        var lease = bench.Rent()!.Value;
        for (var i = 1; i <= 2; i++)
        {
            play.Actor($"renter {i}", () => ReturnIfGiven(bench, bench.Rent()));
        }

        play.Actor("returner", () => bench.Return(lease));
        play.AtEnd(() => Assert.InRange(bench.Statistics.Shed, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Shedding_a_caller_and_its_cancellation_compete() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1, configure: options =>
            options.Overload = new OverloadOptions { Target = _second, Interval = _second });
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        play.Actor("first", () => ReturnIfGiven(bench, bench.Rent(caller)));
        play.Actor("second", () => ReturnIfGiven(bench, bench.Rent()));
        play.Actor("canceller", caller.Cancel);
        play.Actor("alarm", () =>
        {
            bench.Now = 10 * _second.Ticks;
            bench.Look();
        });
        play.Actor("returner", () => bench.Return(lease));
    }, preemptions: 0, random: 2_500);

    private static void ReturnIfGiven(CoreBench bench, Lease<Part>? lease)
    {
        if (lease is { } given)
        {
            bench.Return(given);
        }
    }
}
