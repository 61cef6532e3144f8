using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Flow;

/// <summary>Derives the states of items from the conditions of branches: tests for null, TryRent, IsActive.</summary>
internal static class Conditions
{
    /// <summary>The item that is tested for null, and whether a true condition means null.</summary>
    public static bool IsNullTest(IOperation condition, out IOperation tested, out bool nullWhenTrue)
    {
        nullWhenTrue = true;
        tested = null!;
        switch (condition)
        {
            case IUnaryOperation { OperatorKind: UnaryOperatorKind.Not } not
                when IsNullTest(not.Operand, out tested, out nullWhenTrue):
                nullWhenTrue = !nullWhenTrue;
                return true;
            case IIsNullOperation isNull:
                tested = isNull.Operand;
                return true;
            case IBinaryOperation { OperatorKind: BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals } binary:
                nullWhenTrue = binary.OperatorKind == BinaryOperatorKind.Equals;
                tested = Operations.IsNull(binary.RightOperand) ? binary.LeftOperand
                    : Operations.IsNull(binary.LeftOperand) ? binary.RightOperand
                    : null!;
                return tested is not null;
            case IIsPatternOperation pattern:
                tested = pattern.Value;
                return IsNullPattern(pattern.Pattern, ref nullWhenTrue);
            default:
                return false;
        }
    }

    /// <summary>The state on one side of a branch; null if the branch is never taken.</summary>
    public static ItemState[]? Refine(ItemState[] state, IOperation condition, bool isTrue, Variables variables)
    {
        if (condition is IUnaryOperation { OperatorKind: UnaryOperatorKind.Not } not)
        {
            return Refine(state, not.Operand, !isTrue, variables);
        }

        if (IsNullTest(condition, out var tested, out var nullWhenTrue) && variables.ResolveWhole(tested) is { } item)
        {
            var isNull = nullWhenTrue == isTrue;
            var refined = state[item.Index] & (isNull ? ItemState.Empty | ItemState.Elsewhere : ~ItemState.Empty);
            // The caller may have passed null.
            return With(state, item, isNull && item.IsParameter ? refined | ItemState.Empty : refined);
        }

        // The task that completed first is this one: it is pending no longer.
        if (condition is IBinaryOperation { OperatorKind: BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals } equality
            && (variables.ResolveWhole(equality.LeftOperand) ?? variables.ResolveWhole(equality.RightOperand)) is
            { Kind: ItemKind.PendingUse } task)
        {
            return equality.OperatorKind == BinaryOperatorKind.Equals == isTrue ? With(state, task, ItemState.Elsewhere) : state;
        }

        if (condition is IInvocationOperation { TargetMethod.Name: "TryRent" } call)
        {
            var rented = call.Arguments.Where(argument => argument.Parameter?.RefKind == RefKind.Out)
                .Select(argument => variables.Target(argument.Value)).FirstOrDefault(target => target is not null);
            return rented is null ? state : With(state, rented, isTrue ? ItemState.Held : ItemState.Empty);
        }

        if (condition is IPropertyReferenceOperation { Property.Name: "IsActive" } property
            && variables.ResolveWhole(property.Instance) is { } lease)
        {
            // A copy may have ended the lease meanwhile.
            return isTrue
                ? With(state, lease, state[lease.Index] & (ItemState.Held | ItemState.Elsewhere))
                : With(state, lease, (state[lease.Index] & ~ItemState.Held) | ItemState.Elsewhere);
        }

        return state;
    }

    private static bool IsNullPattern(IPatternOperation pattern, ref bool nullWhenTrue)
    {
        switch (pattern)
        {
            case IConstantPatternOperation constant:
                return Operations.IsNull(constant.Value);
            case INegatedPatternOperation negated when IsNullPattern(negated.Pattern, ref nullWhenTrue):
                nullWhenTrue = !nullWhenTrue;
                return true;
            case IRecursivePatternOperation
            {
                DeconstructionSubpatterns.IsEmpty: true, PropertySubpatterns.IsEmpty: true, DeclaredSymbol: null,
            }:
                nullWhenTrue = false;
                return true;
            default:
                return false;
        }
    }

    private static ItemState[]? With(ItemState[] state, Item item, ItemState value)
    {
        if (value == ItemState.Unreached)
        {
            return null;
        }

        var changed = (ItemState[])state.Clone();
        changed[item.Index] = value;
        return changed;
    }
}
