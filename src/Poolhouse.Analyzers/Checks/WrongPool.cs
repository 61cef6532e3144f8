using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH2004: an item is returned to another pool than the one it was rented from.</summary>
// Two pools are different for certain if both are shared pools of different types, or if one of them is created where it is
// declared and never assigned again, and the other one is shared or created so too. A parameter is taken to be different from a
// shared pool and from another parameter, also in the field that it initializes. A field that a constructor sets may be anything.
internal sealed class WrongPool : FlowRule
{
    private enum Origin
    {
        Unknown,
        Shared,
        Own,
        Parameter,
    }

    public override void Ended(FlowPoint point, Item item, IOperation operation)
    {
        if (item.Kind is not (ItemKind.Array or ItemKind.Object) || item.Rents.Count != 1 || point.Of(item) != ItemState.Held
            || operation is not IInvocationOperation { Instance: { } to } || item.Rents[0].Instance is not { } from)
        {
            return;
        }

        var (source, sourceOrigin) = Identify(from);
        var (target, targetOrigin) = Identify(to);
        if (source is not null && target is not null && AreDifferent(source, sourceOrigin, target, targetOrigin))
        {
            point.Report(Rules.ReturnedToOtherPool, operation, item.Name, from.Syntax.ToString(), to.Syntax.ToString());
        }
    }

    private static bool AreDifferent(ISymbol source, Origin sourceOrigin, ISymbol target, Origin targetOrigin) =>
        !SymbolEqualityComparer.Default.Equals(source, target)
        && (sourceOrigin,
            targetOrigin) is (Origin.Shared, Origin.Shared) or (Origin.Own, Origin.Own) or (Origin.Parameter, Origin.Parameter)
            or (Origin.Shared, Origin.Own) or (Origin.Own, Origin.Shared) or (Origin.Shared, Origin.Parameter)
            or (Origin.Parameter, Origin.Shared);

    private static (ISymbol? Symbol, Origin Origin) Identify(IOperation pool)
    {
        pool = Operations.WithoutConversions(pool);
        return pool switch
        {
            // A property of another type, such as Pools.Shared, may be any pool.
            IPropertyReferenceOperation { Property: { IsStatic: true, Name: "Shared" } property }
                when SymbolEqualityComparer.Default.Equals(property.Type, property.ContainingType) => (property, Origin.Shared),
            IFieldReferenceOperation { Field: { IsReadOnly: true } field, Instance: null or IInstanceReferenceOperation } =>
                Identify(field),
            IParameterReferenceOperation parameter => (parameter.Parameter, Origin.Parameter),
            _ => (null, Origin.Unknown),
        };
    }

    private static (ISymbol? Symbol, Origin Origin) Identify(IFieldSymbol field) =>
        field.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax()
            is not VariableDeclaratorSyntax { Initializer.Value: { } value }
            ? (field, Origin.Unknown)
            : value switch
            {
                BaseObjectCreationExpressionSyntax => (field, Origin.Own),
                InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "Create" } } =>
                    (field, Origin.Own),
                IdentifierNameSyntax name when ParameterOf(field.ContainingType, name) is { } parameter =>
                    (parameter, Origin.Parameter),
                _ => (field, Origin.Unknown),
            };

    private static ISymbol? ParameterOf(INamedTypeSymbol type, IdentifierNameSyntax name) => type.InstanceConstructors
        .SelectMany(constructor => constructor.Parameters)
        .FirstOrDefault(parameter => string.Equals(parameter.Name, name.Identifier.Text, StringComparison.Ordinal)
            && parameter.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax().Parent?.Parent is TypeDeclarationSyntax);
}
