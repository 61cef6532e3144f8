using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Reads a pooled stream in place, where its content was copied to an array.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ReadWithoutCopying)), Shared]
public sealed class ReadWithoutCopying : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public ReadWithoutCopying()
        : base("PH3001")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Invocation is not
            {
                Expression: MemberAccessExpressionSyntax
                {
                    Expression: var stream,
                    Name.Identifier.Text: "ToArray" or "GetBuffer",
                },
                Parent: ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax outer } argument,
            } copy)
        {
            yield break;
        }

        if (outer.Expression is MemberAccessExpressionSyntax { Name.Identifier.Text: "Write", Expression: var target }
            && outer.ArgumentList.Arguments.Count == 1 && finding.Model.GetTypeInfo(target).Type is { } type && IsStream(type))
        {
            yield return new Proposal("Use 'WriteTo'", () => finding.Root.ReplaceNode(
                outer, SyntaxFactory.ParseExpression($"{stream.WithoutTrivia()}.WriteTo({target.WithoutTrivia()})")
                    .WithTriviaFrom(outer)));
            yield break;
        }

        var sequence = SyntaxFactory.ParseExpression($"{stream.WithoutTrivia()}.WrittenSequence").WithTriviaFrom(copy);
        if (finding.TargetOf(outer.ReplaceNode(copy, sequence), outer.SpanStart) is { } method
            && IsSequence(ParameterOf(method.OriginalDefinition, argument)?.Type) && !MayKeepArguments(method))
        {
            yield return new Proposal("Use 'WrittenSequence'", () => finding.Root.ReplaceNode(copy, sequence));
        }
    }

    private static IParameterSymbol? ParameterOf(IMethodSymbol method, ArgumentSyntax argument) => argument.NameColon is { } colon
        ? method.Parameters.FirstOrDefault(
            parameter => string.Equals(parameter.Name, colon.Name.Identifier.ValueText, StringComparison.Ordinal))
        : method.Parameters.ElementAtOrDefault(((ArgumentListSyntax)argument.Parent!).Arguments.IndexOf(argument));

    // A parameter of type object or T may keep the sequence, whose blocks the pool reuses.
    private static bool IsSequence(ITypeSymbol? type) => type is not null
        && string.Equals(type.ToDisplayString(), "System.Buffers.ReadOnlySequence<byte>", StringComparison.Ordinal);

    // In its result, such as a document or a task; in an out argument; or in the object whose method it is.
    private static bool MayKeepArguments(IMethodSymbol method) =>
        !(method.ReturnsVoid || method.ReturnType is { SpecialType: SpecialType.System_String } or { IsUnmanagedType: true })
        || method.Parameters.Any(parameter => parameter.RefKind is RefKind.Out or RefKind.Ref)
        || (!method.IsStatic && !method.IsExtensionMethod);

    private static bool IsStream(ITypeSymbol? type) =>
        type is not null
            && (string.Equals(type.ToDisplayString(), "System.IO.Stream", StringComparison.Ordinal) || IsStream(type.BaseType));
}
