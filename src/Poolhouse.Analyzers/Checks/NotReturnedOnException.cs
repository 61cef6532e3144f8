using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH2006: an item is returned, but not when a throw statement, an await, an I/O call or a delegate in between throws.
/// </summary>
// Without one of these, nothing between a rent and its return throws in practice, and omitting the finally block is a
// deliberate choice.
internal sealed class NotReturnedOnException : FlowRule
{
    public override void Completed(FlowAnalysis analysis)
    {
        if (analysis.ExceptionalExit is not { } exit)
        {
            return;
        }

        foreach (var item in analysis.Variables.Items.Where(item => item.Kind is ItemKind.Array or ItemKind.Object
            && item.Rents.Count == 1 && item.Ends.Count > 0 && !item.IsPassedOn
            && (exit[item.Index] & ItemState.Held) == ItemState.Held))
        {
            var begin = item.Rents[0].Syntax.Span.End;
            var end = item.Ends.Keys.Max(operation => operation.Syntax.SpanStart);
            if (analysis.Graph.Blocks.Any(block => Variables.OperationsOf(block)
                .Any(operation => operation.Syntax.SpanStart > begin && operation.Syntax.SpanStart < end
                    && (Operations.IsFallible(operation) || IsThrown(operation, block)))))
            {
                analysis.Body.Report(Rules.NotReturnedOnException, item.Rents[0].Syntax, item.Name);
            }
        }
    }

    private static bool IsThrown(IOperation operation, BasicBlock block) => ReferenceEquals(operation, block.BranchValue)
        && block.FallThroughSuccessor?.Semantics == ControlFlowBranchSemantics.Throw;
}
