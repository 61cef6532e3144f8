using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Returns to hot cells, which take no lock, against callers on their way into the queue (I5).</summary>
public sealed class HotCells(ITestOutputHelper output) : Exploration(output)
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_return_meets_a_caller_that_enters_the_queue(int cells) => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, cells);
        var lease = bench.Rent()!.Value;
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("renter", bench.RentAndReturn);
    }, preemptions: 3, variant: $" ({cells} cells)");

    [Fact]
    public void Two_returns_into_one_cell_meet_a_caller() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 2, cells: 1);
        var (first, second) = (bench.Rent()!.Value, bench.Rent()!.Value);
        run.Actor("returner 1", () => bench.Return(first));
        run.Actor("returner 2", () => bench.Return(second));
        run.Actor("renter", bench.RentAndReturn);
    });

    // The other item is rented again at once and kept, so nothing but the displaced one can serve the caller.
    [Fact]
    public void A_displaced_item_serves_a_caller_that_entered_the_queue() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 2, cells: 1);
        var (first, second) = (bench.Rent()!.Value, bench.Rent()!.Value);
        Lease<Part>? kept = null;
        run.Actor("returner", () =>
        {
            bench.Return(first);
            bench.Return(second);
        });
        run.Actor("keeper", () =>
        {
            if (bench.Core.TryTakeHot() is { } entry)
            {
                entry.BeginUse(bench.Now);
                kept = bench.Begin(entry);
            }
        });
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() =>
        {
            if (kept is { } lease)
            {
                bench.Return(lease);
            }
        });
    }, preemptions: 2, random: 500);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Callers_share_the_only_item(int cells) => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, cells);
        for (var i = 1; i <= 3; i++)
        {
            run.Actor($"renter {i}", bench.RentAndReturn);
        }
    }, preemptions: 2, variant: $" ({cells} cells)");

    [Fact]
    public void A_caller_that_rents_repeatedly_does_not_starve_another() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, cells: 1);
        run.Actor("regular", () =>
        {
            bench.RentAndReturn();
            bench.RentAndReturn();
        });
        run.Actor("renter", bench.RentAndReturn);
    });

    [Fact]
    public void A_stale_item_is_validated_and_goes_to_the_first_waiter() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        run.Actor("finder", () =>
        {
            if (bench.Core.TryTakeIdle() is { } stale)
            {
                bench.Return(bench.Wait(bench.NewCaller(), stale)!.Value);
            }
        });
        run.Actor("renter", bench.RentAndReturn);
    });
}
