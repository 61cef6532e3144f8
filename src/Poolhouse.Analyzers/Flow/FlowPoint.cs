using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;

namespace Poolhouse.Analyzers.Flow;

/// <summary>The place of an event, and the states there.</summary>
internal readonly struct FlowPoint
{
    public FlowPoint(FlowAnalysis analysis, BasicBlock block, ItemState[] state)
    {
        Analysis = analysis;
        Block = block;
        State = state;
    }

    public FlowAnalysis Analysis { get; }

    public BasicBlock Block { get; }

    public ItemState[] State { get; }

    public ItemState Of(Item item) => State[item.Index];

    public bool IsEnded(Item item) => Of(item) == ItemState.Ended;

    public void Report(DiagnosticDescriptor rule, IOperation operation, params object[] arguments) =>
        Analysis.Body.Report(rule, operation.Syntax, arguments);
}
