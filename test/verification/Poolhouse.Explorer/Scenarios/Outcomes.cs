using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>An offer, a cancellation and a timeout compete for one caller (I6), and the queue stays in order (I4).</summary>
public sealed class Outcomes(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Fact]
    public void An_offer_a_cancellation_and_a_timeout_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller(_second);
        run.Actor("renter", () => ReturnIfGiven(bench, bench.Rent(caller)));
        run.Actor("canceller", caller.Cancel);
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("alarm", () =>
        {
            bench.Now = _second.Ticks;
            bench.FireTimer();
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_cancelled_caller_hands_its_item_to_the_next() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        run.Actor("first", () => ReturnIfGiven(bench, bench.Rent(caller)));
        run.Actor("canceller", caller.Cancel);
        run.Actor("next", bench.RentAndReturn);
        run.Actor("returner", () => bench.Return(lease));
        run.AtEnd(() => Assert.Equal(0, bench.Statistics.Leased));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_caller_that_times_out_hands_its_item_to_the_next() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("first", () => ReturnIfGiven(bench, bench.Rent(bench.NewCaller(_second))));
        run.Actor("next", bench.RentAndReturn);
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("alarm", () =>
        {
            bench.Now = _second.Ticks;
            bench.FireTimer();
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Two_returns_serve_two_callers_in_order() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 2);
        var (one, two) = (bench.Rent()!.Value, bench.Rent()!.Value);
        run.Actor("renter 1", bench.RentAndReturn);
        run.Actor("renter 2", bench.RentAndReturn);
        run.Actor("returner 1", () => bench.Return(one));
        run.Actor("returner 2", () => bench.Return(two));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Three_callers_and_a_cancellation_leave_in_order() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, cells: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        run.Actor("renter 1", bench.RentAndReturn);
        run.Actor("renter 2", () => ReturnIfGiven(bench, bench.Rent(caller)));
        run.Actor("renter 3", bench.RentAndReturn);
        run.Actor("canceller", caller.Cancel);
        run.Actor("returner", () => bench.Return(lease));
    }, preemptions: 0, random: 2_500);

    [Fact]
    public void A_caller_that_may_not_wait_fails_at_once() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, configure: options => options.MaxWaiters = 1);
        var lease = bench.Rent()!.Value;
        for (var i = 1; i <= 2; i++)
        {
            run.Actor($"renter {i}", () => ReturnIfGiven(bench, bench.Rent()));
        }

        run.Actor("returner", () => bench.Return(lease));
        run.AtEnd(() => Assert.InRange(bench.Statistics.Shed, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Shedding_a_caller_and_its_cancellation_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, configure: options =>
            options.Overload = new OverloadOptions { Target = _second, Interval = _second });
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        run.Actor("first", () => ReturnIfGiven(bench, bench.Rent(caller)));
        run.Actor("second", () => ReturnIfGiven(bench, bench.Rent()));
        run.Actor("canceller", caller.Cancel);
        run.Actor("alarm", () =>
        {
            bench.Now = 10 * _second.Ticks;
            bench.FireTimer();
        });
        run.Actor("returner", () => bench.Return(lease));
    }, preemptions: 0, random: 2_500);

    private static void ReturnIfGiven(CoreBench bench, Lease<Part>? lease)
    {
        if (lease is { } given)
        {
            bench.Return(given);
        }
    }
}
