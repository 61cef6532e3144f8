using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH2001 and PH2003: an array or object is returned where it has been returned already. PH1004: a rent is awaited twice.
/// </summary>
// Ending a lease twice is harmless by design, and so is disposing an owner or a stream twice. A Task may be awaited repeatedly.
internal sealed class EndedTwice : FlowRule
{
    public override void Ended(FlowPoint point, Item item, IOperation operation)
    {
        switch (item.Kind)
        {
            case ItemKind.PendingRent
                when point.IsEnded(item) && Operations.AwaitedTask(operation) is { Type.Name: "ValueTask" }:
                point.Report(Rules.RentNotAwaited, operation, "The rent has already been awaited on every path that leads here");
                break;
            case ItemKind.Array or ItemKind.Object when GuardedBy(point, item) is { } handler:
                if (IsUnconditional(point, handler, item)
                    && (handler.Kind == ControlFlowRegionKind.Finally
                        ? point.IsEnded(item)
                        : (point.Of(item) & ItemState.Ended) == ItemState.Ended))
                {
                    point.Report(Rules.ReturnedInTryAndHandler, operation, item.Name);
                }

                break;
            case ItemKind.Array or ItemKind.Object when point.IsEnded(item):
                point.Report(Rules.ReturnedTwice, operation, item.Name);
                break;
        }
    }

    // The catch or finally region around the point, if its try region returns the item and it has not done so itself yet. For a
    // finally region, a normal exit of the try region must have returned the item for certain. For a catch region it is enough
    // that an operation may throw after the return: only then does the state there contain Ended. A return under a separate
    // condition, such as a flag, is not reported.
    private static ControlFlowRegion? GuardedBy(FlowPoint point, Item item)
    {
        var handler = HandlerOf(point.Block);
        if (handler?.EnclosingRegion is not { } whole)
        {
            return null;
        }

        var guarded = whole.NestedRegions[0];
        return item.Ends.Values.Any(block => block >= guarded.FirstBlockOrdinal && block <= guarded.LastBlockOrdinal)
            && !item.Ends.Values.Any(block => block >= handler.FirstBlockOrdinal && block < point.Block.Ordinal) ? handler : null;
    }

    private static ControlFlowRegion? HandlerOf(BasicBlock block)
    {
        var region = block.EnclosingRegion;
        while (region is not null
            && region.Kind is not (ControlFlowRegionKind.Root or ControlFlowRegionKind.Catch or ControlFlowRegionKind.Finally
            or ControlFlowRegionKind.FilterAndHandler))
        {
            region = region.EnclosingRegion;
        }

        return region is { Kind: ControlFlowRegionKind.Root } ? null : region;
    }

    private static bool IsUnconditional(FlowPoint point, ControlFlowRegion handler, Item item)
    {
        for (var ordinal = handler.FirstBlockOrdinal; ordinal < point.Block.Ordinal; ordinal++)
        {
            var block = point.Analysis.Graph.Blocks[ordinal];
            if (block.ConditionKind != ControlFlowConditionKind.None
                && !(Conditions.IsNullTest(block.BranchValue!, out var tested, out _)
                && ReferenceEquals(point.Analysis.Variables.ResolveWhole(tested), item)))
            {
                return false;
            }
        }

        return true;
    }
}
