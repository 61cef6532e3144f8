using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Uses the length that was requested, where the length of the rented array was assumed to be equal to it.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(UseRequestedLength)), Shared]
public sealed class UseRequestedLength : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public UseRequestedLength()
        : base("PH2007")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Node.AncestorsAndSelf().OfType<MemberAccessExpressionSyntax>()
            .FirstOrDefault() is { Name.Identifier.Text: "Length" } length
            && finding.Node.Span.Contains(length.Span)
            && RequestedLength(finding, length.Expression) is { } count)
        {
            yield return new Proposal(
                "Use the requested length", () => finding.Root.ReplaceNode(length, count.WithTriviaFrom(length)));
        }
        else if (ArrayAt(finding.Node) is { } array && RequestedLength(finding, array) is { } requested)
        {
            foreach (var method in new[] { "AsSpan", "AsMemory" })
            {
                var slice = SyntaxFactory.ParseExpression($"{array.WithoutTrivia()}.{method}(0, {requested.WithoutTrivia()})")
                    .WithTriviaFrom(array);
                if (IsValid(finding, array, slice))
                {
                    yield return new Proposal(
                        $"Use '{method}' with the requested length", () => finding.Root.ReplaceNode(array, slice));
                    yield break;
                }
            }
        }
    }

    private static ExpressionSyntax? ArrayAt(SyntaxNode node) => node switch
    {
        ArgumentSyntax argument => argument.Expression,
        ExpressionSyntax { Parent: ArgumentSyntax or ForEachStatementSyntax } expression => expression,
        _ => null,
    };

    private static bool IsValid(Finding finding, ExpressionSyntax array, ExpressionSyntax slice) => array.Parent switch
    {
        // A span cannot be kept across the awaits and yields of a loop.
        ForEachStatementSyntax loop =>
            !loop.Statement.DescendantNodes().Any(node => node is AwaitExpressionSyntax or YieldStatementSyntax),
        ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax call } =>
            finding.TargetOf(call.ReplaceNode(array, slice), call.SpanStart) is not null,
        _ => false,
    };

    /// <summary>
    /// The argument of the rent, if it still has its value: a literal, a local, a parameter, or a length of one.
    /// </summary>
    private static ExpressionSyntax? RequestedLength(Finding finding, ExpressionSyntax array)
    {
        if (finding.SymbolOf(array) is not ILocalSymbol { DeclaringSyntaxReferences: { Length: 1 } declarations }
            || declarations[0].GetSyntax() is not VariableDeclaratorSyntax { Initializer.Value: InvocationExpressionSyntax rent }
            || rent.ArgumentList.Arguments.Count != 1)
        {
            return null;
        }

        var count = rent.ArgumentList.Arguments[0].Expression;

        var source = count is MemberAccessExpressionSyntax { Name.Identifier.Text: "Length" or "Count" } member
            ? member.Expression
            : count;
        return source is LiteralExpressionSyntax
            || (finding.SymbolOf(source) is (ILocalSymbol or IParameterSymbol) and var variable && !finding.IsAssigned(variable))
            ? count
            : null;
    }
}
