using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH1005: a rent that may block a thread in an asynchronous method, of a pool that has RentAsync.</summary>
internal sealed class BlockingRent : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is IInvocationOperation { TargetMethod: { Name: "Rent" } method } call
            && body.Apis.IsLease(method.ReturnType)
            && !method.ContainingType.GetMembers("RentAsync").IsEmpty && body.FunctionAround(call) is { IsAsync: true }
            && !IsInLock(call)
            && !body.Root.Descendants().OfType<IInvocationOperation>().Any(IsAsynchronousRent))
        {
            body.Report(Rules.BlockingRent, call.Syntax);
        }
    }

    // The body of a lock statement cannot await.
    private static bool IsInLock(IOperation operation)
    {
        var outer = operation.Parent;
        while (outer is not (null or ILockOperation or IAnonymousFunctionOperation or ILocalFunctionOperation))
        {
            outer = outer.Parent;
        }

        return outer is ILockOperation;
    }

    // A method that has both serves synchronous and asynchronous callers.
    private static bool IsAsynchronousRent(IInvocationOperation call) =>
        string.Equals(call.TargetMethod.Name, "RentAsync", StringComparison.Ordinal);
}
