using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH2002, PH1012 and PH2010: an array or memory is returned while a task that was given it has not been awaited, or while its
/// wait may end before the task.
/// </summary>
internal sealed class PendingUses : FlowRule
{
    public override void Ended(FlowPoint point, Item item, IOperation operation)
    {
        if (operation is IInvocationOperation { TargetMethod.Name: "Detach" or "DetachBuffer" })
        {
            return;
        }

        foreach (var task in point.Analysis.Variables.Items.Where(
            task => ReferenceEquals(task.Used, item) && !task.IsPassedOn && point.Of(task) == ItemState.Held))
        {
            Report(point.Analysis.Body, item, task.Start!);
        }
    }

    public override void Left(FlowPoint point, IOperation value, ItemState[] after)
    {
        if (point.Analysis.Method is { IsAsync: false } && UsedBy(point.Analysis.Variables, value) is { } item
            && item.Kind != ItemKind.BufferLease && point.Of(item) == ItemState.Held && after[item.Index] == ItemState.Ended)
        {
            Report(point.Analysis.Body, item, value);
        }
    }

    public override void Completed(FlowAnalysis analysis)
    {
        foreach (var block in analysis.Graph.Blocks)
        {
            foreach (var wait in Variables.OperationsOf(block).OfType<IAwaitOperation>())
            {
                if (Operations.AwaitedTask(wait) is IInvocationOperation { Instance: { } given } call
                    && Operations.IsLimitedWait(call))
                {
                    var task = analysis.Variables.ResolveWhole(Operations.WithoutConfigureAwait(given));
                    if ((task?.Used ?? analysis.Variables.UsedBy(given)) is { } item && task is not { IsPassedOn: true }
                        && IsEndedByHandler(block, item, task))
                    {
                        Report(analysis.Body, item, call);
                    }
                }
            }
        }
    }

    private static Item? UsedBy(Variables variables, IOperation task) =>
        variables.UsedBy(task)
        ?? variables.ResolveWhole(Operations.WithoutConfigureAwait(Operations.WithoutConversions(task)))?.Used;

    // By a finally region, or by a handler of the exceptions of WaitAsync, unless the task is awaited there.
    private static bool IsEndedByHandler(BasicBlock block, Item item, Item? task)
    {
        for (var region = block.EnclosingRegion; region?.EnclosingRegion is { } parent; region = parent)
        {
            var handlers = parent.NestedRegions.Skip(1).Where(_ => region.Kind == ControlFlowRegionKind.Try).ToList();
            if (handlers.Exists(handler => IsIn(handler, task)))
            {
                return false;
            }

            if (handlers.Exists(handler => IsReached(handler) && IsIn(handler, item)))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsReached(ControlFlowRegion handler) => handler.Kind == ControlFlowRegionKind.Finally
        || handler.ExceptionType is null or { SpecialType: SpecialType.System_Object }
            or { Name: "Exception" or "TimeoutException" or "OperationCanceledException" or "TaskCanceledException" };

    private static bool IsIn(ControlFlowRegion handler, Item? item) => item is not null
        && item.Ends.Values.Any(block => block >= handler.FirstBlockOrdinal && block <= handler.LastBlockOrdinal);

    private static void Report(BodyContext body, Item item, IOperation task)
    {
        var text = $"'{item.Name}' is returned while a task may still use it: await the task first";
        body.Report(
            item.Kind switch
            {
                ItemKind.BufferLease => Rules.BufferKept,
                ItemKind.MemoryOwner => Rules.MemoryOwner,
                _ => Rules.UsedAfterReturn,
            },
            task.Syntax,
            text);
    }
}
