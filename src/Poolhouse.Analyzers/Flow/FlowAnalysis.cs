using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;

namespace Poolhouse.Analyzers.Flow;

/// <summary>
/// Computes the states of all items at every block of a graph, then notifies the rules of the events along the paths.
/// </summary>
// Invariants
//   states only grow, so the work list ends; a body that exceeds the budget is skipped
//   a finally region is not part of the graph around it: it is run separately, as its own graph, for each branch that leaves its
//   try region, with the state of that branch, so the states of normal and of exceptional exits never mix
//   an exception runs the finally regions between the block and the handler, from the inside out, before it reaches the handler
internal sealed class FlowAnalysis
{
    private const int Budget = 4000;

    private readonly ImmutableArray<FlowRule> _rules;
    private readonly FlowWalker _walker;
    private int _steps;

    public FlowAnalysis(
        BodyContext body, ControlFlowGraph graph, Variables variables, IMethodSymbol? method, ImmutableArray<FlowRule> rules)
    {
        Body = body;
        Graph = graph;
        Variables = variables;
        Method = method;
        _rules = rules;
        _walker = new FlowWalker(this);
    }

    public BodyContext Body { get; }

    public ControlFlowGraph Graph { get; }

    public Variables Variables { get; }

    /// <summary>The method, lambda or local function whose body this is.</summary>
    public IMethodSymbol? Method { get; }

    /// <summary>The state in which the body ends normally; null if it never does.</summary>
    public ItemState[]? Exit { get; private set; }

    /// <summary>
    /// The state in which exceptions of fallible operations and throw statements leave the body; null if none does.
    /// </summary>
    public ItemState[]? ExceptionalExit { get; private set; }

    public static ItemState[] Join(ItemState[]? first, ItemState[] second, out bool changed)
    {
        if (first is null)
        {
            changed = true;
            return (ItemState[])second.Clone();
        }

        var joined = first.Zip(second, (left, right) => left | right).ToArray();
        changed = !joined.SequenceEqual(first);
        return changed ? joined : first;
    }

    public void Run()
    {
        var run = new FlowRun(region: null, outer: null);
        run.Add(Graph.Blocks[0], Variables.Items.Select(item => item.IsParameter ? ItemState.Held : ItemState.Empty).ToArray());
        if (!Settle(run))
        {
            return;
        }

        Exit = run.EntryOf(Graph.Blocks[Graph.Blocks.Length - 1]);
        Report(run);
        Tell(rule => rule.Completed(this));
    }

    public void Tell(Action<FlowRule> call)
    {
        foreach (var rule in _rules)
        {
            call(rule);
        }
    }

    private bool Settle(FlowRun run)
    {
        while (run.Next() is { } ordinal)
        {
            if (++_steps > Budget)
            {
                return false;
            }

            Step(run, Graph.Blocks[ordinal], report: false);
        }

        return true;
    }

    private void Report(FlowRun run)
    {
        foreach (var ordinal in run.Reached.ToList())
        {
            Step(run, Graph.Blocks[ordinal], report: true);
        }
    }

    private void Step(FlowRun run, BasicBlock block, bool report)
    {
        _walker.Run(block, run.EntryOf(block)!, report);
        var state = _walker.State;
        if (!report && _walker.Thrown is { } thrown)
        {
            Throw(run, block.EnclosingRegion, thrown, isExpected: false);
        }

        if (!report && _walker.ThrownByFallible is { } expected)
        {
            Throw(run, block.EnclosingRegion, expected, isExpected: true);
        }

        if (block.ConditionKind == ControlFlowConditionKind.None || block.BranchValue is not { } condition)
        {
            Follow(run, block, block.FallThroughSuccessor, state, report);
            return;
        }

        var jumpsWhenTrue = block.ConditionKind == ControlFlowConditionKind.WhenTrue;
        Follow(run, block, block.ConditionalSuccessor, Conditions.Refine(state, condition, jumpsWhenTrue, Variables), report);
        Follow(run, block, block.FallThroughSuccessor, Conditions.Refine(state, condition, !jumpsWhenTrue, Variables), report);
    }

    private void Follow(FlowRun run, BasicBlock block, ControlFlowBranch? branch, ItemState[]? state, bool report)
    {
        if (branch is null || state is null)
        {
            return;
        }

        switch (branch.Semantics)
        {
            case ControlFlowBranchSemantics.Regular or ControlFlowBranchSemantics.Return:
                var after = Leave(run, branch.FinallyRegions, state, report);
                if (after is null)
                {
                    break;
                }

                if (!report && branch.Destination is { } destination)
                {
                    run.Add(destination, after);
                }
                else if (report && branch.Destination is { Kind: BasicBlockKind.Exit })
                {
                    Tell(rule => rule.Exited(this, after));
                    if (branch.Semantics == ControlFlowBranchSemantics.Return && block.BranchValue is { } value)
                    {
                        Tell(rule => rule.Left(new FlowPoint(this, block, state), value, after));
                    }
                }

                break;
            case ControlFlowBranchSemantics.StructuredExceptionHandling
                when block.EnclosingRegion.Kind != ControlFlowRegionKind.Filter:
                run.End(state);
                break;
            case ControlFlowBranchSemantics.Throw or ControlFlowBranchSemantics.Rethrow:
                Throw(
                    run, block.EnclosingRegion, state, isExpected: true, Operations.CreatedException(block.BranchValue), report);
                break;
        }
    }

    // The finally regions of a branch that leaves try regions normally, the innermost first.
    private ItemState[]? Leave(FlowRun run, ImmutableArray<ControlFlowRegion> regions, ItemState[] state, bool report)
    {
        var left = state;
        foreach (var region in regions)
        {
            if (RunFinally(run, region, left, report) is not { } after)
            {
                return null;
            }

            left = after;
        }

        return left;
    }

    private ItemState[]? RunFinally(FlowRun outer, ControlFlowRegion region, ItemState[] state, bool report)
    {
        var run = new FlowRun(region, outer);
        run.Add(Graph.Blocks[region.FirstBlockOrdinal], state);
        if (!Settle(run))
        {
            return null;
        }

        if (report)
        {
            Report(run);
        }

        return run.Result;
    }

    // isExpected: the exception occurs in correct programs, such as a failed read, and counts where it leaves the body.
    // type: the exact type of the exception, if it is known.
    private void Throw(
        FlowRun? run, ControlFlowRegion? from, ItemState[] state, bool isExpected, ITypeSymbol? type = null, bool report = false)
    {
        // Up to the root: what encloses the root of a local function or lambda are blocks of another graph.
        for (var region = from; region is not null && run is not null
            && region.Kind != ControlFlowRegionKind.Root; region = region.EnclosingRegion)
        {
            if (ReferenceEquals(region, run.Region))
            {
                run = run.Outer;
                continue;
            }

            var parent = region.EnclosingRegion;
            if (region.Kind != ControlFlowRegionKind.Try || parent is null)
            {
                continue;
            }

            if (parent.Kind == ControlFlowRegionKind.TryAndFinally)
            {
                if (RunFinally(run, parent.NestedRegions[1], state, report) is not { } after)
                {
                    return;
                }

                state = after;
            }
            else if (Catch(run, parent, state, type, report))
            {
                return;
            }
        }

        if (isExpected)
        {
            ExceptionalExit = Join(ExceptionalExit, state, out _);
        }
    }

    // Whether a handler catches the exception for certain, so that it does not propagate. In a reporting run, whether one may.
    private bool Catch(FlowRun run, ControlFlowRegion tryAndCatch, ItemState[] state, ITypeSymbol? type, bool report)
    {
        foreach (var handler in tryAndCatch.NestedRegions)
        {
            if (handler.Kind is ControlFlowRegionKind.Catch or ControlFlowRegionKind.FilterAndHandler
                && (type is null || handler.ExceptionType is not { } caught || Operations.IsOrDerivesFrom(type, caught)))
            {
                run.Add(Graph.Blocks[handler.FirstBlockOrdinal], state);
                if (report || (handler.Kind == ControlFlowRegionKind.Catch
                    && (type is not null || handler.ExceptionType is null or { SpecialType: SpecialType.System_Object }
                        or { Name: "Exception", ContainingNamespace.Name: "System" })))
                {
                    return true;
                }
            }
        }

        return false;
    }
}
