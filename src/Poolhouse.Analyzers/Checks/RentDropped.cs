using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH1001, PH1004, PH2005, PH2010 and PH3002 for a rent whose result is held by no variable: it cannot be ended.
/// </summary>
internal sealed class RentDropped : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is IInvocationOperation attempt && body.Apis.IsTryRent(attempt))
        {
            if (attempt.Arguments.Any(IsDiscarded) && IsExpectedToRent(attempt))
            {
                body.Report(Rules.LeaseNeverEnded, attempt.Syntax);
            }
        }
        else if (operation is IInvocationOperation { TargetMethod.Name: not "DetachBuffer" }
            && operation.Parent is not (IAwaitOperation or null)
            && body.Apis.IsRent(operation, out var kind, out _) && IsDropped(operation))
        {
            Report(body, kind, operation);
        }
        else if (operation is IAwaitOperation or IPropertyReferenceOperation
            && body.Apis.IsRent(operation, out kind, out var call)
            && IsDropped(operation))
        {
            Report(body, kind, call);
        }
    }

    private static void Report(BodyContext body, ItemKind kind, IOperation rent)
    {
        switch (kind)
        {
            case ItemKind.PendingRent:
                body.Report(
                    Rules.RentNotAwaited, rent.Syntax, "The rent is not awaited: its lease is lost and never ended");
                break;
            case ItemKind.Lease or ItemKind.BufferLease:
                body.Report(Rules.LeaseNeverEnded, rent.Syntax);
                break;
            case ItemKind.MemoryOwner:
                body.Report(Rules.MemoryOwner, rent.Syntax, "The memory owner is never disposed or passed on");
                break;
            case ItemKind.Stream:
                body.Report(Rules.StreamNotDisposed, rent.Syntax);
                break;
            default:
                body.Report(Rules.NeverReturned, rent.Syntax, "The item is rented, but neither returned nor passed on");
                break;
        }
    }

    private static bool IsDiscarded(IArgumentOperation argument) => argument.Parameter?.RefKind == RefKind.Out
        && argument.Value is IDiscardOperation or IDeclarationExpressionOperation { Expression: IDiscardOperation };

    // In a statement, a condition or a result. Elsewhere, such as in an assertion, the attempt may be known to fail.
    private static bool IsExpectedToRent(IOperation attempt)
    {
        var value = attempt;
        while (value.Parent is IUnaryOperation or IBinaryOperation or IParenthesizedOperation)
        {
            value = value.Parent;
        }

        return value.Parent is IExpressionStatementOperation or IConditionalOperation or ILoopOperation or IReturnOperation
            && value.Parent.Syntax is not LambdaExpressionSyntax && value.Parent.Syntax.Parent is not LambdaExpressionSyntax;
    }

    // Discarded, or used only for one member that does not end it.
    private static bool IsDropped(IOperation value)
    {
        switch (value.Parent)
        {
            // The value of a lambda such as () => pool.Rent(-1) belongs to the caller of the lambda.
            case IExpressionStatementOperation statement:
                return statement.Syntax.Parent is not LambdaExpressionSyntax && statement.Syntax is not LambdaExpressionSyntax;
            case ISimpleAssignmentOperation { Target: IDiscardOperation } assignment:
                return ReferenceEquals(assignment.Value, value) && assignment.Parent is IExpressionStatementOperation;
            case IPropertyReferenceOperation { Property.Name: "Value" or "Span" or "Memory" or "Segment" or "Stream" } property:
                return ReferenceEquals(property.Instance, value);
            default:
                return false;
        }
    }
}
