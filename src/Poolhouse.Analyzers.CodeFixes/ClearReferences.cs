using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Clears an array of references when it is returned.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ClearReferences)), Shared]
public sealed class ClearReferences : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public ClearReferences()
        : base("PH2008")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Invocation is not { } call
            || call.ArgumentList.Arguments.FirstOrDefault() is not { } array
            || finding.Model.GetTypeInfo(array.Expression).Type is not IArrayTypeSymbol { ElementType: var element })
        {
            yield break;
        }

        var value = element is ITypeParameterSymbol { HasReferenceTypeConstraint: false }
            ? $"{Services(finding, call)}RuntimeHelpers.IsReferenceOrContainsReferences<{element.Name}>()"
            : "true";
        var clear = SyntaxFactory.Argument(SyntaxFactory.ParseExpression(value))
            .WithNameColon(SyntaxFactory.NameColon("clearArray").WithTrailingTrivia(SyntaxFactory.Space));
        var arguments = SyntaxFactory.SeparatedList<ArgumentSyntax>(
            [array, clear], [SyntaxFactory.Token(SyntaxKind.CommaToken).WithTrailingTrivia(SyntaxFactory.Space)]);
        yield return new Proposal("Clear the array", () =>
            finding.Root.ReplaceNode(call, call.WithArgumentList(call.ArgumentList.WithArguments(arguments))));
    }

    private static string Services(Finding finding, SyntaxNode place) =>
        finding.Model.LookupNamespacesAndTypes(place.SpanStart, name: "RuntimeHelpers").IsEmpty
            ? "System.Runtime.CompilerServices."
            : "";
}
