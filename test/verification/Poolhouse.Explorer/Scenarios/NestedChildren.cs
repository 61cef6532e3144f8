using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>
/// A parent is retired while something happens to its children: none stays behind, and the parent goes after the last.
/// </summary>
public sealed class NestedChildren(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_child_is_returned_while_its_parent_is_retired() => Explore(play =>
    {
        var stage = new NestedBench(play, children: 1, primed: 1);
        var lease = stage.Rent();
        play.Actor("returner", () => NestedBench.Return(lease));
        play.Actor("retirer", stage.RetireParent);
    }, preemptions: 3);

    [Fact]
    public void Two_children_are_returned_while_their_parent_is_retired() => Explore(play =>
    {
        var stage = new NestedBench(play, children: 2, primed: 2);
        var (first, second) = (stage.Rent(), stage.Rent());
        play.Actor("returner 1", () => NestedBench.Return(first));
        play.Actor("returner 2", () => NestedBench.Return(second));
        play.Actor("retirer", stage.RetireParent);
    }, preemptions: 2);

    [Fact]
    public void A_child_is_created_while_its_parent_is_retired() => Explore(play =>
    {
        var stage = new NestedBench(play, children: 1, primed: 0);
        play.Actor("asker", () =>
        {
            stage.Core.SetWarmTarget(1, now: 1);
            stage.Core.SetWarmTarget(0, now: 1);
        });
        play.Actor("retirer", stage.RetireParent);
    }, preemptions: 3);

    [Fact]
    public void A_child_is_detached_while_another_is_returned_and_their_parent_is_retired() => Explore(play =>
    {
        var stage = new NestedBench(play, children: 2, primed: 2);
        var (mine, others) = (stage.Rent(), stage.Rent());
        play.Actor("detacher", () => stage.Detach(mine));
        play.Actor("returner", () => NestedBench.Return(others));
        play.Actor("retirer", stage.RetireParent);
    }, preemptions: 2);
}
