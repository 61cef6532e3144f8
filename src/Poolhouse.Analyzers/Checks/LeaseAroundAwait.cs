using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH1006: a using of a resource lease around an await, in a body that never taints. PH2011: a raw item held across an await.
/// </summary>
internal sealed class LeaseAroundAwait : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is not IVariableDeclaratorOperation { Initializer.Value: { } value } declarator
            || !body.Apis.IsRent(value, out var kind, out var rent) || body.FunctionAround(declarator) is not { IsAsync: true })
        {
            return;
        }

        if (kind == Flow.ItemKind.Lease && IsUsing(declarator) && !rent.TargetMethod.ContainingType.GetMembers("UseAsync").IsEmpty
            && !Calls(body, "Taint").Any() && IsAwaitBetween(body, value, end: null))
        {
            body.Report(Rules.LeaseAroundAwait, rent.Syntax);
        }
        else if (kind is Flow.ItemKind.Object && Calls(body, "Return").Where(call => Returns(call, declarator.Symbol))
            .Any(call => IsAwaitBetween(body, value, call)))
        {
            body.Report(Rules.RawPoolAcrossAwait, rent.Syntax, declarator.Symbol.Name);
        }
    }

    private static bool IsUsing(IOperation declarator)
    {
        var parent = declarator.Parent;
        while (parent is IVariableDeclarationOperation or IVariableDeclarationGroupOperation)
        {
            parent = parent.Parent;
        }

        return parent is IUsingDeclarationOperation or IUsingOperation;
    }

    private static IEnumerable<IInvocationOperation> Calls(BodyContext body, string name) =>
        body.Root.Descendants().OfType<IInvocationOperation>()
            .Where(call => string.Equals(call.TargetMethod.Name, name, StringComparison.Ordinal));

    private static bool Returns(IInvocationOperation call, ILocalSymbol local) => Operations.FirstArgument(call) is { } item
        && Operations.WithoutConversions(item) is ILocalReferenceOperation { Local: var returned }
        && SymbolEqualityComparer.Default.Equals(returned, local);

    private static bool IsAwaitBetween(BodyContext body, IOperation rent, IOperation? end) =>
        body.Root.Descendants().OfType<IAwaitOperation>().Any(wait => wait.Syntax.SpanStart > rent.Syntax.Span.End
            && (end is null || wait.Syntax.SpanStart < end.Syntax.SpanStart));
}
