using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH2008: an array of references is returned without being cleared. PH2009: a public member returns a rented array.
/// </summary>
internal sealed class ReturnedArrays : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is IInvocationOperation call && body.Apis.IsReturn(call.TargetMethod)
            && body.Apis.IsArrayPool(call.TargetMethod.ContainingType)
            && Operations.FirstArgument(call) is { } array && KeepsReferences(body, call, array))
        {
            body.Report(Rules.ReferencesKept, call.Syntax, array.Syntax.ToString());
        }
        else if (operation is IReturnOperation { ReturnedValue: { } value } && IsVisible(body.Owner) && IsRentedArray(body, value)
            && body.FunctionAround(operation) is { MethodKind: not (MethodKind.LambdaMethod or MethodKind.LocalFunction) })
        {
            body.Report(Rules.RentedArrayExposed, value.Syntax, value.Syntax.ToString());
        }
    }

    private static bool KeepsReferences(BodyContext body, IInvocationOperation call, IOperation array)
    {
        // TieredArrayPool clears arrays of references itself, unless configured otherwise.
        if (call.Instance?.Type is { Name: "TieredArrayPool" } || call.Arguments.Length != 2
            || Operations.WithoutConversions(
                array).Type is not IArrayTypeSymbol { ElementType: { IsUnmanagedType: false } element }
            || call.Arguments.FirstOrDefault(
                argument => argument.Parameter?.Ordinal == 1)?.Value.ConstantValue is not { HasValue: true, Value: false })
        {
            return false;
        }

        // Code that clears by itself often clears only what it used.
        return element.TypeKind != TypeKind.TypeParameter && !body.Root.Descendants().OfType<IInvocationOperation>()
            .Any(other => other.TargetMethod.Name is "Clear" or "Fill" && other.Syntax.SpanStart < call.Syntax.SpanStart);
    }

    private static bool IsRentedArray(BodyContext body, IOperation value)
    {
        value = Operations.WithoutConversions(value);
        if (value is ILocalReferenceOperation { Local: var local })
        {
            var declared = body.Root.Descendants().OfType<IVariableDeclaratorOperation>()
                .FirstOrDefault(declarator => SymbolEqualityComparer.Default.Equals(declarator.Symbol, local));
            value = declared?.Initializer?.Value ?? value;
        }

        return body.Apis.IsRent(value, out var kind, out _) && kind == ItemKind.Array;
    }

    // The callers of a pool's method, or of one that is marked or named accordingly, know it.
    private static bool IsVisible(ISymbol owner)
    {
        if (owner is not IMethodSymbol { IsOverride: false } method || method.ExplicitInterfaceImplementations.Length > 0
            || method.Name.IndexOf("Rent", StringComparison.Ordinal) >= 0
            || method.GetAttributes().Concat(method.GetReturnTypeAttributes())
                .Any(attribute => attribute.AttributeClass?.Name is "RentedReturnAttribute"))
        {
            return false;
        }

        for (ISymbol? symbol = method; symbol is not null and not INamespaceSymbol; symbol = symbol.ContainingSymbol)
        {
            if (symbol.DeclaredAccessibility is not (Accessibility.Public or Accessibility.NotApplicable))
            {
                return false;
            }
        }

        return true;
    }
}
