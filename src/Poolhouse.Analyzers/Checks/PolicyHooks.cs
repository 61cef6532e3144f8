using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH4001, PH4002 and PH4003: checks the hooks of policies.</summary>
internal sealed class PolicyHooks : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (body.Policy is not { } policy || body.Owner is not IMethodSymbol method)
        {
            return;
        }

        switch (method.Name)
        {
            case "IsBroken" or "IsBrokenAfterIdle" or "NeedsReset" when method.IsOverride && Blocks(operation):
                body.Report(Rules.BlockingHook, operation.Syntax, method.Name, operation.Syntax.ToString());
                break;
            case ".ctor"
                when operation is ISimpleAssignmentOperation { Target: IMemberReferenceOperation target, Value: { } value }
                && IsCredential(target.Member.Name) && IsSecret(value):
                body.Report(Rules.CredentialKept, operation.Syntax, target.Member.Name);
                break;
            case "ResetAsync" when method.IsOverride && operation is IReturnOperation { ReturnedValue: { } result }
                && IsTrue(result) && body.StatementCount == 1 && IsConnection(policy.TypeArguments.LastOrDefault()):
                body.Report(Rules.NothingReset, result.Syntax, policy.TypeArguments.Last().Name);
                break;
        }
    }

    /// <summary>PH4002 in the initial value of a field.</summary>
    public static void CheckField(BodyContext body, IFieldInitializerOperation initializer)
    {
        if (body.Policy is not null && IsCredential(body.Owner.Name) && IsSecret(initializer.Value)
            && !initializer.Value.ConstantValue.HasValue)
        {
            body.Report(Rules.CredentialKept, initializer.Value.Syntax, body.Owner.Name);
        }
    }

    private static bool Blocks(IOperation operation) => operation switch
    {
        ILockOperation => true,
        IPropertyReferenceOperation { Property.Name: "Result", Instance.Type: { } type } => Operations.IsTask(type),
        IInvocationOperation { TargetMethod: { } method } => method switch
        {
            { Name: "Sleep" or "Join", ContainingType.Name: "Thread" } => true,
            { Name: "Wait" or "WaitOne" or "GetResult" } => true,
            { Name: "Execute" or "ExecuteNonQuery" or "ExecuteScalar" or "ExecuteReader" or "Open" or "Ping" } => true,
            { Name: "Read" or "Write" or "Send" or "Receive" or "Connect" or "Flush" or "Exists" or "SendRequest" }
                => method.ContainingNamespace.ToDisplayString() is "System.IO" or "System.Net.Sockets" or "System.Net.Http"
                    or "System.DirectoryServices.Protocols",
            _ => false,
        },
        _ => false,
    };

    private static bool IsCredential(string name) => new[] { "password", "secret", "credential" }
        .Any(word => name.IndexOf(word, StringComparison.OrdinalIgnoreCase) >= 0);

    // A delegate that fetches it is what the rule recommends.
    private static bool IsSecret(IOperation value) => Operations.WithoutConversions(value).Type
        is { SpecialType: SpecialType.System_String } or { Name: "NetworkCredential" or "SecureString" };

    private static bool IsTrue(IOperation result) => Operations.WithoutConversions(result) switch
    {
        IObjectCreationOperation { Arguments.Length: 1 } creation =>
            creation.Arguments[0].Value.ConstantValue is { HasValue: true, Value: true },
        IInvocationOperation { TargetMethod.Name: "FromResult", Arguments.Length: 1 } call =>
            call.Arguments[0].Value.ConstantValue is { HasValue: true, Value: true },
        var value => value.ConstantValue is { HasValue: true, Value: true },
    };

    private static bool IsConnection(ITypeSymbol? type)
    {
        for (; type is not null; type = type.BaseType)
        {
            if (string.Equals(type.Name, "DbConnection", StringComparison.Ordinal))
            {
                return true;
            }
        }

        return false;
    }
}
