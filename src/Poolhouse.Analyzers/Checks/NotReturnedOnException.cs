using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH2006: an item is returned, but not when an await, an I/O call or a delegate in between throws.</summary>
// Without one of these, nothing between a rent and its return throws in practice, and leaving the finally block away is a
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
            if (analysis.Graph.Blocks.SelectMany(Variables.OperationsOf)
                .Any(
                    operation => operation.Syntax.SpanStart > begin && operation.Syntax.SpanStart < end && IsFallible(operation)))
            {
                analysis.Body.Report(Rules.NotReturnedOnException, item.Rents[0].Syntax, item.Name);
            }
        }
    }

    private static bool IsFallible(IOperation operation) => operation switch
    {
        IAwaitOperation => true,
        IInvocationOperation { TargetMethod.MethodKind: MethodKind.DelegateInvoke } => true,
        IInvocationOperation { Instance.Type: { } type } => IsChannel(type),
        _ => false,
    };

    private static bool IsChannel(ITypeSymbol? type)
    {
        for (; type is not null; type = type.BaseType)
        {
            if (type.Name is "Stream" or "Socket" or "PipeReader" or "PipeWriter" or "TextReader" or "TextWriter")
            {
                return true;
            }
        }

        return false;
    }
}
