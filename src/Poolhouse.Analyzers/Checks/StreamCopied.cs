using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH3001: a pooled stream is copied to an array.</summary>
internal sealed class StreamCopied : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is IInvocationOperation { TargetMethod.Name: "ToArray" or "GetBuffer", Instance.Type: { } type } call
            && body.Apis.IsPooledStream(type))
        {
            body.Report(Rules.StreamCopied, call.Syntax, call.TargetMethod.Name);
        }
    }
}
