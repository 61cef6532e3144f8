using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH1013: a pool that a method creates for one rent.</summary>
internal sealed class PoolForOneRent : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is not IVariableDeclaratorOperation { Symbol: { } pool, Initializer.Value: { } value } declarator
            || !body.Apis.IsPool(pool.Type) || !IsCreation(value) || body.FunctionAround(declarator) is not { } method
            || IsEntryPoint(method))
        {
            return;
        }

        var uses = body.Root.Descendants().OfType<ILocalReferenceOperation>()
            .Where(reference => SymbolEqualityComparer.Default.Equals(reference.Local, pool)).ToList();
        var rents = uses.Select(use => use.Parent).OfType<IInvocationOperation>()
            .Where(call => call.TargetMethod.Name is "Rent" or "RentAsync" or "Get" or "RentExact" or "TryRent")
            .ToList();
        if (rents.Count == 1 && uses.All(IsReceiver) && !IsRepeated(rents[0], declarator))
        {
            body.Report(Rules.PoolForOneRent, value.Syntax);
        }
    }

    private static bool IsCreation(IOperation value) => Operations.WithoutConversions(value)
        is IObjectCreationOperation or IInvocationOperation { TargetMethod: { Name: "Create", IsStatic: true } };

    // A program's pool lives as long as the program.
    private static bool IsEntryPoint(IMethodSymbol method) =>
        method.Name is "Main" or "<Main>$" or "<top-level-statements-entry-point>";

    private static bool IsReceiver(IOperation use) => use.Parent switch
    {
        IInvocationOperation call => ReferenceEquals(call.Instance, use),
        IPropertyReferenceOperation => true,
        IConversionOperation { Parent: IInvocationOperation { TargetMethod.Name: "Dispose" or "DisposeAsync" } } => true,
        _ => false,
    };

    // In a loop, or in a lambda that may run often.
    private static bool IsRepeated(IOperation rent, IOperation declarator)
    {
        for (var outer = rent.Parent; outer is not null
            && !outer.Syntax.Span.Contains(declarator.Syntax.Span); outer = outer.Parent)
        {
            if (outer is ILoopOperation or IAnonymousFunctionOperation or ILocalFunctionOperation)
            {
                return true;
            }
        }

        return false;
    }
}
