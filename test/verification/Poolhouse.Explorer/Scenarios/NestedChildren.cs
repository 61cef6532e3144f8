using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>
/// A parent is inactive during an operation on its children: no child is left, and the parent is released after the last one.
/// </summary>
public sealed class NestedChildren(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_child_is_returned_while_its_parent_is_deactivated() => Explore(run =>
    {
        var bench = new NestedBench(run, children: 1, primed: 1);
        var lease = bench.Rent();
        run.Actor("returner", () => NestedBench.Return(lease));
        run.Actor("deactivator", bench.DeactivateParent);
    }, preemptions: 3);

    [Fact]
    public void Two_children_are_returned_while_their_parent_is_deactivated() => Explore(run =>
    {
        var bench = new NestedBench(run, children: 2, primed: 2);
        var (first, second) = (bench.Rent(), bench.Rent());
        run.Actor("returner 1", () => NestedBench.Return(first));
        run.Actor("returner 2", () => NestedBench.Return(second));
        run.Actor("deactivator", bench.DeactivateParent);
    }, preemptions: 2);

    [Fact]
    public void A_child_is_created_while_its_parent_is_deactivated() => Explore(run =>
    {
        var bench = new NestedBench(run, children: 1, primed: 0);
        run.Actor("requester", () =>
        {
            bench.Core.Operators.SetWarmTarget(1, now: 1);
            bench.Core.Operators.SetWarmTarget(0, now: 1);
        });
        run.Actor("deactivator", bench.DeactivateParent);
    }, preemptions: 3);

    [Fact]
    public void A_child_is_detached_while_another_is_returned_and_their_parent_is_deactivated() => Explore(run =>
    {
        var bench = new NestedBench(run, children: 2, primed: 2);
        var (mine, others) = (bench.Rent(), bench.Rent());
        run.Actor("detacher", () => bench.Detach(mine));
        run.Actor("returner", () => NestedBench.Return(others));
        run.Actor("deactivator", bench.DeactivateParent);
    }, preemptions: 2);
}
