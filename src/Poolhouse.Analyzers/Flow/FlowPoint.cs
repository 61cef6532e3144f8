using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;

namespace Poolhouse.Analyzers.Flow;

/// <summary>Where something happens, and what is true there.</summary>
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
